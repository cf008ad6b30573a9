/* What PDO asks of a connection, when there are several: first that one is had. */

#include "pool.h"
#include "sql.h"
#include "wire.h"

static pdo_pool *pool_of(const pdo_dbh_t *dbh)
{
	return ((const pdo_pool_conn *) dbh->methods)->pool;
}

static bool borrow(pdo_pool *pool)
{
	uint32_t i;

	for (i = 0; PQstatus(pool->handle->server) != CONNECTION_OK && i < pool->options.max; i++) {
		if (pool->slots[i].server) {
			pool->handle->server = pool->slots[i].server;
		}
	}
	return PQstatus(pool->handle->server) == CONNECTION_OK;
}

/* For what the driver does without the server, but not without a connection. Takes no place in the line unless none is
 * open: that is for whoever executes. False with an exception. */
static bool borrow_or_open(pdo_pool *pool)
{
	if (!borrow(pool)) {
		if (!pdo_pool_enter(pool)) {
			return false;
		}
		pdo_pool_leave(pool);
	}
	return true;
}

static bool prepare(pdo_dbh_t *dbh, zend_string *sql, pdo_stmt_t *stmt, zval *driver_options)
{
	pdo_pool *pool = pool_of(dbh);
	bool prepared;

	if (pdo_attr_lval(driver_options, PDO_ATTR_CURSOR, PDO_CURSOR_FWDONLY) == PDO_CURSOR_SCROLL) {
		pdo_pool_dbh_fail(dbh, "IM001", "PDO::CURSOR_SCROLL is not available on a pool; DECLARE the cursor in a "
			"transaction, or use a PDO object without PDO::ATTR_POOL_ENABLED");
		return false;
	}
	if (!borrow_or_open(pool)) {
		return false;
	}
	prepared = pdo_pool_preparer(dbh, sql, stmt, driver_options) && pdo_pool_pooled_stmt(stmt);
	pdo_pool_seat_show(pool);
	return prepared;
}

PGresult *pdo_pool_execute(pdo_dbh_t *dbh, pdo_pool_slot *slot, const char *sql)
{
	PGresult *result = pdo_pool_wire_simple(slot->conn, slot->server, sql);
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
		return result;
	}
	pdo_pool_dbh_error(dbh, result);
	PQclear(result);
	return NULL;
}

static zend_long execute_sql(pdo_dbh_t *dbh, const zend_string *sql)
{
	pdo_pool *pool = pool_of(dbh);
	pdo_pool_slot *slot = pdo_pool_enter(pool);
	PGresult *result;
	zend_long rows = -1;

	if (!slot) {
		return -1;
	}
	result = pdo_pool_execute(dbh, slot, ZSTR_VAL(sql));
	pdo_pool_note_effects(slot->conn, slot->server, pdo_pool_sql_effects(ZSTR_VAL(sql), ZSTR_LEN(sql)));
	pdo_pool_note_draws(pool, sql);
	if (result) {
		pool->handle->last_oid = PQoidValue(result);
		rows = PQresultStatus(result) == PGRES_COMMAND_OK ? ZEND_STRTOL(PQcmdTuples(result), NULL, 10) : 0;
		PQclear(result);
	}
	pdo_pool_leave(pool);
	return rows;
}

static bool begin(pdo_dbh_t *dbh)
{
	pdo_pool *pool = pool_of(dbh);
	pdo_pool_slot *slot = pdo_pool_enter(pool);
	PGresult *result;

	if (!slot) {
		return false;
	}
	result = pdo_pool_execute(dbh, slot, "BEGIN");
	PQclear(result);
	pdo_pool_leave(pool);
	return result != NULL;
}

/* `lost`: what to return where the connection is gone, and the transaction with it. */
static bool end(pdo_dbh_t *dbh, const char *sql, bool lost)
{
	pdo_pool *pool = pool_of(dbh);
	pdo_pool_slot *slot = pdo_pool_enter(pool);
	PGresult *result;

	if (!slot) {
		return false;
	}
	result = pdo_pool_execute(dbh, slot, sql);
	pdo_pool_note_effects(slot->conn, slot->server, PDO_POOL_SQL_ENDS);
	pdo_pool_leave(pool);
	PQclear(result);
	if (pdo_pool_slot_broken(slot)) {
		pool->current->in_transaction = false;
		dbh->in_txn = false;
		return lost;
	}
	dbh->in_txn = pool->current->in_transaction; /* COMMIT may fail and end it all the same */
	return result != NULL;
}

static bool commit(pdo_dbh_t *dbh)
{
	return end(dbh, "COMMIT", false);
}

static bool roll_back(pdo_dbh_t *dbh)
{
	pdo_pool *pool = pool_of(dbh);

	if (OBJ_FLAGS(pool->object) & IS_OBJ_FREE_CALLED) {
		pool->current->in_transaction = false; /* the server will, when it is closed; nobody is to wait for that */
		return true;
	}
	return end(dbh, "ROLLBACK", true);
}

static bool in_transaction(pdo_dbh_t *dbh)
{
	const pdo_pool_seat *seat = pool_of(dbh)->current;

	return seat && seat->in_transaction;
}

static zend_string *quote(pdo_dbh_t *dbh, const zend_string *text, enum pdo_param_type type)
{
	pdo_pool *pool = pool_of(dbh);
	zend_string *quoted;

	if (!borrow_or_open(pool)) {
		return ZSTR_EMPTY_ALLOC(); /* beside an exception; PHP 8.1 takes no NULL */
	}
	quoted = pool->vacant.driver->quoter(dbh, text, type);
	pdo_pool_seat_show(pool);
	return quoted;
}

static int get_attribute(pdo_dbh_t *dbh, zend_long attribute, zval *value)
{
	pdo_pool *pool = pool_of(dbh);
	int found;

	if (pdo_pool_get_attribute(pool, attribute, value)) {
		return 1;
	}
	if (attribute != PDO_ATTR_SERVER_VERSION && attribute != PDO_ATTR_SERVER_INFO
			&& attribute != PDO_ATTR_CONNECTION_STATUS) {
		return pool->vacant.driver->get_attribute(dbh, attribute, value);
	}
	if (!pdo_pool_enter(pool)) {
		return -1;
	}
	found = pool->vacant.driver->get_attribute(dbh, attribute, value);
	pdo_pool_leave(pool);
	return found;
}

static const zend_function_entry *driver_methods(pdo_dbh_t *dbh, int kind)
{
	return pdo_pool_driver_methods(pool_of(dbh), kind);
}

static void close_pool(pdo_dbh_t *dbh)
{
	pdo_pool_close(pool_of(dbh));
}

void pdo_pool_take_methods(pdo_pool_conn *conn)
{
	conn->methods.preparer = prepare;
	conn->methods.doer = execute_sql;
	conn->methods.quoter = quote;
	conn->methods.begin = begin;
	conn->methods.commit = commit;
	conn->methods.rollback = roll_back;
	conn->methods.in_transaction = in_transaction;
	conn->methods.last_id = pdo_pool_last_id;
	conn->methods.get_attribute = get_attribute;
	conn->methods.get_driver_methods = driver_methods;
	conn->methods.closer = close_pool;
}
