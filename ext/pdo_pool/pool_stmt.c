/* Statements of a pool. They belong to no connection: each execution takes place on the one that its fiber then has,
 * whose cache knows a name for the SQL or gets one. */

#include "pool.h"

static pdo_pool *pool_of(const pdo_stmt_t *stmt)
{
	return pdo_pool_conn_of(stmt->dbh)->pool;
}

#define OID_TYPE 26

static int execute_by(pdo_stmt_t *stmt, const struct pdo_stmt_methods *methods)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;
	pdo_pool *pool = pool_of(stmt);
	pdo_pool_slot *slot;
	int done, i;

	pdo_pool_seat_of_current(pool)->executing = stmt;
	slot = pdo_pool_enter(pool);
	if (!slot) {
		pool->current->executing = NULL;
		return 0;
	}
	S->is_prepared = 0; /* which name described its columns: one that another connection may have for other columns */
	done = methods->executer(stmt);
	pool->current->executing = NULL;
	if (EG(exception)) {
		memcpy(stmt->error_code, PDO_ERR_NONE, sizeof(PDO_ERR_NONE)); /* else PDO would throw another one */
		done = 0;
	}
	pdo_pool_note_draws(pool, stmt->query_string);
	for (i = 0; done && i < PQnfields(S->result); i++) {
		slot->lobs = slot->lobs || PQftype(S->result, i) == OID_TYPE;
	}
	pdo_pool_leave(pool);
	return done;
}

static int execute_cached(pdo_stmt_t *stmt)
{
	return execute_by(stmt, &PDO_POOL_G(cached_stmt_methods));
}

static int execute_watched(pdo_stmt_t *stmt)
{
	return execute_by(stmt, &PDO_POOL_G(watched_stmt_methods));
}

/* It asks the server about types and tables. */
static int get_column_meta(pdo_stmt_t *stmt, zend_long column, zval *value)
{
	pdo_pool *pool = pool_of(stmt);
	double start;
	int found;

	if (!pdo_pool_enter(pool)) {
		return FAILURE;
	}
	start = pdo_pool_now();
	found = PDO_POOL_G(driver_stmt_methods)->get_column_meta(stmt, column, value);
	pdo_pool_blocked(pool, start);
	pdo_pool_leave(pool);
	return found;
}

/* The driver opens large objects. */
static int get_col(pdo_stmt_t *stmt, int column, zval *value, enum pdo_param_type *type)
{
	pdo_stmt_get_col_data_func stock = PDO_POOL_G(driver_stmt_methods)->get_col;
	double start;
	int done;

	if (EXPECTED(PQftype(((pdo_pool_pg_stmt *) stmt->driver_data)->result, column) != OID_TYPE)) {
		return stock(stmt, column, value, type);
	}
	start = pdo_pool_now();
	done = stock(stmt, column, value, type);
	if (Z_TYPE_P(value) == IS_RESOURCE) {
		pdo_pool_watch_lob(value);
		pdo_pool_blocked(pool_of(stmt), start);
	}
	return done;
}

static void take(struct pdo_stmt_methods *methods, const struct pdo_stmt_methods *from, pdo_stmt_execute_func executer)
{
	*methods = *from;
	methods->executer = executer;
	methods->get_col = get_col;
	methods->get_column_meta = get_column_meta;
}

bool pdo_pool_pooled_stmt(pdo_stmt_t *stmt)
{
	bool cached = stmt->methods == &PDO_POOL_G(cached_stmt_methods);

	if (!cached && stmt->methods != &PDO_POOL_G(watched_stmt_methods)) {
		pdo_pool_throw("IM001", "pdo_pool does not know the statements of this pdo_pgsql; leave PDO::ATTR_POOL_ENABLED "
			"out");
		return false;
	}
	if (pdo_pool_unbuffered(stmt->driver_data)) {
		pdo_pool_throw("IM001", "unbuffered statements are not available on a pool; use a PDO object without "
			"PDO::ATTR_POOL_ENABLED");
		return false;
	}
	if (!PDO_POOL_G(pooled_cached_methods).executer) {
		take(&PDO_POOL_G(pooled_cached_methods), &PDO_POOL_G(cached_stmt_methods), execute_cached);
		take(&PDO_POOL_G(pooled_watched_methods), &PDO_POOL_G(watched_stmt_methods), execute_watched);
	}
	stmt->methods = cached ? &PDO_POOL_G(pooled_cached_methods) : &PDO_POOL_G(pooled_watched_methods);
	return true;
}
