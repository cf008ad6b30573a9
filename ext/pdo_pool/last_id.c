/* lastInsertId(): a question to the connection of the INSERT, as long as no other fiber had it since. */

#include "pool.h"
#include "sql.h"

void pdo_pool_note_draws(pdo_pool *pool, const zend_string *sql)
{
	pdo_pool_seat *seat = pool->current;

	if (!sql || pdo_pool_sql_draws(ZSTR_VAL(sql), ZSTR_LEN(sql))) {
		seat->drew_in = seat->slot->tenure;
	}
}

static zend_string *query(const pdo_pool *pool, const zend_string *name)
{
	zend_string *quoted, *sql;

	if (!name) {
		return zend_string_init(ZEND_STRL("SELECT LASTVAL()"), false);
	}
	quoted = pool->vacant.driver->quoter(pool->dbh, name, PDO_PARAM_STR);
	if (!quoted) {
		return NULL;
	}
	sql = zend_strpprintf(0, "SELECT CURRVAL(%s)", ZSTR_VAL(quoted));
	zend_string_release(quoted);
	return sql;
}

zend_string *pdo_pool_last_id(pdo_dbh_t *dbh, const zend_string *name)
{
	pdo_pool *pool = pdo_pool_conn_of(dbh)->pool;
	pdo_pool_seat *seat = pool->current;
	zend_string *id = NULL, *sql;
	PGresult *result;

	if (!seat || !seat->slot || !seat->drew_in || seat->drew_in != seat->slot->tenure) {
		pdo_pool_dbh_fail(dbh, "55000", seat && seat->drew_in
			? "the connection of the last INSERT has been another fiber's since; use RETURNING, or ask in the same "
				"transaction"
			: "this fiber has inserted nothing; use RETURNING for what functions and triggers insert");
		return NULL;
	}
	/* Even if others are waiting: another connection would have another answer. */
	seat->calls++;
	pdo_pool_enter(pool);
	sql = query(pool, name);
	if (sql) {
		result = pdo_pool_execute(dbh, seat->slot, ZSTR_VAL(sql));
		if (result) {
			id = zend_string_init(PQgetvalue(result, 0, 0), PQgetlength(result, 0, 0), false);
			PQclear(result);
		}
		zend_string_release(sql);
	}
	seat->calls--;
	pdo_pool_leave(pool);
	return id;
}
