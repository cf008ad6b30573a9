/* Executing. A statement that we take has no name of its own (pdo_pool_pg_stmt.name is NULL): it looks for one in its
 * connection's cache each time it is executed, when the types of its parameters are known. So two statements of one SQL
 * share a name, none has to be told when a name goes, and the driver deallocates nothing. */

#include "columns.h"
#include "sql.h"
#include "stmt.h"
#include "wire.h"

static bool succeeded(ExecStatusType status)
{
	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* As the driver leaves a statement behind that was executed well. A name always gives the same columns: `tag` is that of
 * the name that described them, 0 where they have to be compared. */
static zend_always_inline int finish(
	pdo_stmt_t *stmt, pdo_pool_pg_stmt *S, PGresult *result, ExecStatusType status, uint8_t tag)
{
	if (EXPECTED(!stmt->columns)) {
		stmt->column_count = PQnfields(result);
	} else if (!tag || tag != S->is_prepared) {
		pdo_pool_columns_follow(stmt, S, result);
	}
	S->is_prepared = tag;
	if (!S->columns) {
		S->columns = ecalloc(stmt->column_count, sizeof(*S->columns));
	}
	pdo_pool_take_rows(stmt, S, result, status);
	return 1;
}

int pdo_pool_fail(pdo_stmt_t *stmt, PGresult *result)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;

	S->result = result;
	pdo_pool_stmt_error(stmt, result);
	return 0;
}

static int execute_unnamed(pdo_stmt_t *stmt)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;
	PGresult *result = pdo_pool_wire_execute_unnamed(pdo_pool_conn_of(stmt->dbh), S, pdo_pool_param_count(stmt));
	ExecStatusType status = PQresultStatus(result);

	PDO_POOL_COUNT(unnamed);
	return succeeded(status) ? finish(stmt, S, result, status, 0) : pdo_pool_fail(stmt, result);
}

/* The next execution by this name finds out whether it is good. */
static void doubt(pdo_pool_conn *conn, pdo_pool_entry *entry)
{
	entry->epoch = conn->epoch - 1;
	conn->cache.version++;
}

/* Gives the name up, and every name that is made from now on is another one. What others depend on may have changed with it:
 * a transaction that is repeated is to fail for one stale name, not for each of them in turn. */
static void distrust(pdo_stmt_t *stmt, pdo_pool_entry *entry)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);

	PDO_POOL_COUNT(reprepares);
	pdo_pool_collect_garbage(conn, pdo_pool_handle(stmt->dbh)->server);
	if (pdo_pool_cache_unname(&conn->cache, entry, true, pdo_pool_uses_before_name())) {
		conn->generation++;
	}
	pdo_pool_doubt_all(conn);
}

/* Whether the types were to blame shows when the server finds them out anew. In a transaction, which is lost, the name
 * is only put in doubt. */
static int recover_types(pdo_stmt_t *stmt, pdo_pool_entry *entry, PGresult *result, bool hit)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);

	if (PQtransactionStatus(pdo_pool_handle(stmt->dbh)->server) != PQTRANS_IDLE) {
		PDO_POOL_G(counters).hits += hit;
		doubt(conn, entry);
		return pdo_pool_fail(stmt, result);
	}
	PQclear(result);
	PDO_POOL_COUNT(retries);
	if (!execute_unnamed(stmt)) {
		return 0;
	}
	pdo_pool_log("%s has types of before: %s", entry->name, ZSTR_VAL(stmt->query_string));
	distrust(stmt, entry);
	return 1;
}

int pdo_pool_recover(pdo_stmt_t *stmt, pdo_pool_entry *entry, PGresult *result, bool hit)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	bool stale = pdo_pool_raised_by(result, "0A000", "RevalidateCachedQuery");
	bool lost = pdo_pool_raised_by(result, "26000", "FetchPreparedStatement");

	if (!stale && !lost) {
		/* Even of a name that was made just before: while other fibers ran, tables may have changed. */
		if (entry->param_count && pdo_pool_may_be_for_types(result)) {
			return recover_types(stmt, entry, result, hit);
		}
		PDO_POOL_G(counters).hits += hit;
		return pdo_pool_fail(stmt, result);
	}
	pdo_pool_log("%s is %s: %s", entry->name, stale ? "stale" : "lost", ZSTR_VAL(stmt->query_string));
	if (lost) {
		PDO_POOL_COUNT(reprepares);
		pdo_pool_forget(conn);
		conn->route = PDO_POOL_ROUTE_UNKNOWN;
	} else {
		distrust(stmt, entry);
	}
	if (PQtransactionStatus(pdo_pool_handle(stmt->dbh)->server) != PQTRANS_IDLE) {
		return pdo_pool_fail(stmt, result);
	}
	PQclear(result);
	PDO_POOL_COUNT(retries);
	return execute_unnamed(stmt);
}

/* `count`: how many parameters are bound. `hit`: the name was there before. `doubted`: whether it was good. */
static zend_always_inline int execute_named(
	pdo_stmt_t *stmt, pdo_pool_pg_stmt *S, pdo_pool_conn *conn, pdo_pool_entry *entry, uint32_t count, bool hit, bool doubted)
{
	PGresult *result = pdo_pool_wire_execute_named(conn, S, entry->name, count);
	ExecStatusType status = PQresultStatus(result);

	if (UNEXPECTED(!succeeded(status))) {
		return pdo_pool_recover(stmt, entry, result, hit);
	}
	PDO_POOL_G(counters).hits += hit;
	if (doubted) {
		entry->epoch = conn->epoch;
	}
	return finish(stmt, S, result, status, entry->columns_tag);
}

static bool may_prepare(pdo_pool_conn *conn, PGconn *server)
{
	PGTransactionStatusType transaction = PQtransactionStatus(server);

	if ((transaction != PQTRANS_IDLE && transaction != PQTRANS_INTRANS) || pdo_pool_behind_pooler(conn, server)) {
		return false;
	}
	pdo_pool_collect_garbage(conn, server);
	return true;
}

static int prepare_and_execute(pdo_stmt_t *stmt, pdo_pool_entry *entry)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	pdo_pool_pg_stmt *S = stmt->driver_data;
	PGconn *server = S->handle->server;
	PGresult *result;

	if (!may_prepare(conn, server) || !pdo_pool_cache_name(&conn->cache, entry, &conn->generation)) {
		return execute_unnamed(stmt);
	}
	result = pdo_pool_wire_prepare(conn, S, entry->name, pdo_pool_param_count(stmt));
	/* A name that is there already was made from the same SQL and types. */
	if (!succeeded(PQresultStatus(result)) && !(PQtransactionStatus(server) == PQTRANS_IDLE
			&& pdo_pool_raised_by(result, "42P05", "StorePreparedStatement"))) {
		pdo_pool_cache_unname(&conn->cache, entry, false, 0);
		return pdo_pool_fail(stmt, result);
	}
	PQclear(result);
	PDO_POOL_COUNT(misses);
	return execute_named(stmt, S, conn, entry, pdo_pool_param_count(stmt), false, true);
}

/* What the driver's code does, without blocking other fibers. */
static int execute_in_pool(pdo_stmt_t *stmt)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	pdo_pool_pg_stmt *S = stmt->driver_data;
	PGresult *result;

	if (S->result) {
		PQclear(S->result);
		S->result = NULL;
	}
	S->current_row = 0;
	result = stmt->supports_placeholders == PDO_PLACEHOLDER_NAMED
		? pdo_pool_wire_execute_unnamed(conn, S, pdo_pool_param_count(stmt))
		: pdo_pool_wire_simple(conn, S->handle->server, ZSTR_VAL(stmt->active_query_string));
	return succeeded(PQresultStatus(result)) ? finish(stmt, S, result, PQresultStatus(result), 0) : pdo_pool_fail(stmt, result);
}

/* By the driver's own code. What it did to the schema, and to the columns of this statement, we look at afterwards. */
static int execute_by_driver(pdo_stmt_t *stmt, const zend_string *sql)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	pdo_pool_pg_stmt *S = stmt->driver_data;
	PGconn *server = S->handle->server;
	int columns = stmt->column_count, done;

	if (!S->cursor_name && !S->name) {
		S->is_prepared = 0; /* else the driver's own */
	}
	done = conn->slot ? execute_in_pool(stmt) : PDO_POOL_G(driver_stmt_methods)->executer(stmt);
	pdo_pool_forget_running(S);
	if (sql) {
		pdo_pool_note_effects(conn, server, pdo_pool_sql_effects(ZSTR_VAL(sql), ZSTR_LEN(sql)));
	}
	if (done && stmt->columns && S->result) {
		stmt->column_count = columns;
		pdo_pool_columns_follow(stmt, S, S->result);
	}
	return done;
}

static int execute_watched(pdo_stmt_t *stmt)
{
	return execute_by_driver(stmt, stmt->active_query_string ? stmt->active_query_string : stmt->query_string);
}

/* Everything but a good name at hand. */
static zend_never_inline int execute_slow(pdo_stmt_t *stmt, pdo_pool_entry *entry)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	pdo_pool_pg_stmt *S = stmt->driver_data;
	zend_string *sql = stmt->query_string;

	if (!conn->cache.capacity || ZSTR_LEN(sql) > PDO_POOL_SQL_MAX) {
		return execute_by_driver(stmt, sql);
	}
	if (!entry) {
		if (pdo_pool_sql_effects(ZSTR_VAL(sql), ZSTR_LEN(sql)) != PDO_POOL_SQL_CACHEABLE) {
			return execute_by_driver(stmt, sql);
		}
		entry = pdo_pool_cache_add(&conn->cache, sql, pdo_pool_param_count(stmt), S->param_types);
	} else if (entry->named) {
		/* The schema changed since. In a transaction a stale name would end it; elsewhere we can try. */
		if (PQtransactionStatus(S->handle->server) == PQTRANS_IDLE) {
			return execute_named(stmt, S, conn, entry, pdo_pool_param_count(stmt), true, true);
		}
		if (!pdo_pool_cache_unname(&conn->cache, entry, true, 0)) {
			return execute_unnamed(stmt);
		}
		conn->generation++;
		PDO_POOL_COUNT(reprepares);
		pdo_pool_log("%s may be stale: %s", entry->name, ZSTR_VAL(sql));
	} else {
		pdo_pool_list_touch(&conn->cache.seen, entry);
	}
	if (++entry->uses > pdo_pool_uses_before_name()) {
		return prepare_and_execute(stmt, entry);
	}
	return execute_unnamed(stmt);
}

int pdo_pool_execute_cached(pdo_stmt_t *stmt)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	pdo_pool_pg_stmt *S = stmt->driver_data;
	uint32_t count = pdo_pool_param_count(stmt);
	pdo_pool_entry *entry;

	if (S->result) {
		PQclear(S->result);
		S->result = NULL;
	}
	S->current_row = 0;

	entry = pdo_pool_cache_find(&conn->cache, stmt->query_string, count, S->param_types);
	if (UNEXPECTED(!entry || entry->epoch != conn->epoch)) {
		return execute_slow(stmt, entry);
	}
	if (conn->cache.named.newest != entry) {
		pdo_pool_list_touch(&conn->cache.named, entry);
	}
	return execute_named(stmt, S, conn, entry, count, true, false);
}

#if PHP_VERSION_ID >= 80400
/* The driver puts the name into a message. */
static int get_attribute(pdo_stmt_t *stmt, zend_long attribute, zval *value)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;
	int found;

	S->name = "";
	found = PDO_POOL_G(driver_stmt_methods)->get_attribute(stmt, attribute, value);
	S->name = NULL;
	return found;
}
#endif

void pdo_pool_take_stmt_methods(const struct pdo_stmt_methods *driver)
{
	PDO_POOL_G(driver_stmt_methods) = driver;
	PDO_POOL_G(watched_stmt_methods) = *driver;
	PDO_POOL_G(watched_stmt_methods).executer = execute_watched;
	PDO_POOL_G(cached_stmt_methods) = *driver;
	PDO_POOL_G(cached_stmt_methods).executer = pdo_pool_execute_cached;
#if PHP_VERSION_ID >= 80400
	if (driver->get_attribute) {
		PDO_POOL_G(cached_stmt_methods).get_attribute = get_attribute;
	}
#endif
	PDO_POOL_G(kept_stmt_methods) = PDO_POOL_G(cached_stmt_methods);
	PDO_POOL_G(kept_stmt_methods).executer = pdo_pool_execute_kept;
}
