#include "dbh.h"
#include "session.h"
#include "sql.h"

#define PGSQL_ATTR_DISABLE_PREPARES PDO_ATTR_DRIVER_SPECIFIC

static uint32_t configured_capacity(void)
{
	return PDO_POOL_G(refused) ? 0 : (uint32_t) MIN(MAX(PDO_POOL_G(stmt_cache_size), 0), 65536);
}

zend_ulong pdo_pool_uses_before_name(void)
{
	return (zend_ulong) MAX(PDO_POOL_G(prepare_threshold), 1) - 1;
}

/* Whether we know the statements of this driver, once it has prepared the first one. */
static zend_never_inline bool first_stmt(pdo_stmt_t *stmt, zend_string *sql)
{
	if (!pdo_pool_stmt_known(stmt, sql)) {
		pdo_pool_conn_of(stmt->dbh)->cache.capacity = 0; /* from now on the driver is on its own */
		return false;
	}
	pdo_pool_take_stmt_methods(stmt->methods);
	return true;
}

/* Statements with options, the first of all, and those that nothing is cached of. */
static zend_never_inline bool prepare_slow(pdo_dbh_t *dbh, zend_string *sql, pdo_stmt_t *stmt, zval *driver_options)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	pdo_pool_pg_handle *H = pdo_pool_handle(dbh);
	bool disabled = H->disable_prepares, unbuffered = pdo_pool_wants_unbuffered(H, driver_options), prepared;
	pdo_pool_pg_stmt *S;

	if (!conn->cache.capacity && !conn->pool) {
		return conn->driver->preparer(dbh, sql, stmt, driver_options);
	}
	/* By its name the driver ends what is unbuffered. */
	H->disable_prepares = disabled || !unbuffered;
	prepared = conn->driver->preparer(dbh, sql, stmt, driver_options);
	H->disable_prepares = disabled;
	if (!prepared || (stmt->methods != PDO_POOL_G(driver_stmt_methods) && !first_stmt(stmt, sql))) {
		return prepared;
	}

	S = stmt->driver_data;
	disabled = pdo_attr_lval(driver_options, PGSQL_ATTR_DISABLE_PREPARES, disabled) == 1;
	if (S->name && !unbuffered) { /* the options insisted */
		efree(S->name);
		S->name = NULL;
	}
	stmt->methods = !disabled && !unbuffered && stmt->supports_placeholders == PDO_PLACEHOLDER_NAMED
		? &PDO_POOL_G(cached_stmt_methods) : &PDO_POOL_G(watched_stmt_methods);
	return true;
}

bool pdo_pool_preparer(pdo_dbh_t *dbh, zend_string *sql, pdo_stmt_t *stmt, zval *driver_options)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	pdo_pool_pg_handle *H = pdo_pool_handle(dbh);
	bool prepared;

	if (UNEXPECTED(driver_options || !conn->cache.capacity || H->disable_prepares
			|| pdo_pool_wants_unbuffered(H, NULL))) {
		return prepare_slow(dbh, sql, stmt, driver_options);
	}
	/* Then the driver makes no name, which would be made in vain. */
	H->disable_prepares = true;
	prepared = conn->driver->preparer(dbh, sql, stmt, NULL);
	H->disable_prepares = false;
	if (UNEXPECTED(!prepared)) {
		return false;
	}
	if (UNEXPECTED(stmt->methods != PDO_POOL_G(driver_stmt_methods)) && !first_stmt(stmt, stmt->query_string)) {
		return true;
	}
	stmt->methods = EXPECTED(stmt->supports_placeholders == PDO_PLACEHOLDER_NAMED)
		? &PDO_POOL_G(cached_stmt_methods) : &PDO_POOL_G(watched_stmt_methods);
	return true;
}

static zend_long execute_sql(pdo_dbh_t *dbh, const zend_string *sql)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	zend_long rows = conn->driver->doer(dbh, sql);

	pdo_pool_note_effects(conn, pdo_pool_handle(dbh)->server, pdo_pool_sql_effects(ZSTR_VAL(sql), ZSTR_LEN(sql)));
	return rows;
}

static bool commit(pdo_dbh_t *dbh)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	bool done = conn->driver->commit(dbh);

	pdo_pool_note_effects(conn, pdo_pool_handle(dbh)->server, PDO_POOL_SQL_ENDS);
	return done;
}

static bool roll_back(pdo_dbh_t *dbh)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	bool done = conn->driver->rollback(dbh);

	pdo_pool_note_effects(conn, pdo_pool_handle(dbh)->server, PDO_POOL_SQL_ENDS);
	return done;
}

/* The driver connects again where a persistent connection broke: to a server process without our names. */
static zend_result check_liveness(pdo_dbh_t *dbh)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	PGconn *server = pdo_pool_handle(dbh)->server;
	int backend = PQbackendPID(server), socket = PQsocket(server);
	bool broken = PQstatus(server) == CONNECTION_BAD;
	zend_result alive;

	/* Takes in what the server said before it went, behind which the driver's own look then finds the end. */
	PQconsumeInput(server);
	alive = conn->driver->check_liveness(dbh);

	if (broken || PQbackendPID(server) != backend || PQsocket(server) != socket) {
		pdo_pool_forget(conn);
		conn->route = PDO_POOL_ROUTE_UNKNOWN;
		conn->schema_changed = false;
	}
	return alive;
}

#if PHP_VERSION_ID >= 80600
/* The driver then discards all, and our names with it. They are why the connection persists, and all else can go without
 * them. */
static void end_of_request(pdo_dbh_t *dbh)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);
	PGconn *server = pdo_pool_handle(dbh)->server;
	PGresult *result;
	bool clean;

	if (conn->cache.named.count && !conn->named_by_hand && PQtransactionStatus(server) == PQTRANS_IDLE) {
		result = PQexec(server, PDO_POOL_SESSION_CLEAN);
		clean = PQresultStatus(result) == PGRES_COMMAND_OK;
		PQclear(result);
		if (clean) {
			pdo_pool_note_effects(conn, server, PDO_POOL_SESSION_EFFECTS);
			return;
		}
	}
	conn->driver->persistent_shutdown(dbh);
	pdo_pool_forget(conn);
	conn->named_by_hand = false;
}
#endif

static void close_connection(pdo_dbh_t *dbh)
{
	pdo_pool_conn *conn = pdo_pool_conn_of(dbh);

	dbh->methods = conn->driver;
	dbh->methods->closer(dbh);
	pdo_pool_conn_free(conn);
}

pdo_pool_conn *pdo_pool_conn_create(const pdo_dbh_t *dbh, const struct pdo_dbh_methods *driver, uint32_t capacity)
{
	pdo_pool_conn *conn = pecalloc(1, sizeof(*conn), dbh->is_persistent);

	pdo_pool_cache_init(&conn->cache, capacity, dbh->is_persistent);
	conn->driver = driver;
	conn->methods = *driver;
	conn->epoch = 1;
	PDO_POOL_COUNT(connections);
	return conn;
}

void pdo_pool_conn_free(pdo_pool_conn *conn)
{
	pdo_pool_cache_destroy(&conn->cache);
	pefree(conn, conn->cache.persistent);
}

static bool is_pgsql(const pdo_dbh_t *dbh)
{
	return dbh->driver && dbh->driver_data && dbh->methods && !strcmp(dbh->driver->driver_name, "pgsql");
}

void pdo_pool_adopt(pdo_dbh_t *dbh)
{
	uint32_t capacity = configured_capacity();
	pdo_pool_conn *conn;

	if (!is_pgsql(dbh)) {
		return;
	}
	if (pdo_pool_adopted(dbh)) {
		conn = pdo_pool_conn_of(dbh);
		if (conn->cache.capacity != capacity) {
			pdo_pool_cache_resize(&conn->cache, capacity);
		}
		return;
	}
	if (!capacity || !pdo_pool_handle_known(dbh)) { /* the latter warns, once */
		return;
	}

	conn = pdo_pool_conn_create(dbh, dbh->methods, capacity);
	conn->methods.preparer = pdo_pool_preparer;
	conn->methods.doer = execute_sql;
	conn->methods.commit = commit;
	conn->methods.rollback = roll_back;
	conn->methods.closer = close_connection;
	if (conn->driver->check_liveness) {
		conn->methods.check_liveness = check_liveness;
	}
#if PHP_VERSION_ID >= 80600
	if (conn->driver->persistent_shutdown) {
		conn->methods.persistent_shutdown = end_of_request;
	}
#endif
	dbh->methods = &conn->methods;
}

void pdo_pool_forget(pdo_pool_conn *conn)
{
	pdo_pool_cache_forget(&conn->cache, pdo_pool_uses_before_name());
	conn->generation++;
}

void pdo_pool_doubt_all(pdo_pool_conn *conn)
{
	conn->epoch++;
	conn->cache.version++;
}

void pdo_pool_note_effects(pdo_pool_conn *conn, PGconn *server, uint32_t effects)
{
	if (EXPECTED(!(effects & ~PDO_POOL_SQL_CACHEABLE))) {
		return;
	}
	if (effects & PDO_POOL_SQL_NAMES) {
		conn->named_by_hand = true;
	}
	if (effects & PDO_POOL_SQL_FORGETS) {
		/* Even if it failed: then the names that the server still has are never used again. */
		pdo_pool_forget(conn);
	}
	if (effects & PDO_POOL_SQL_SCHEMA) {
		pdo_pool_doubt_all(conn);
		conn->schema_changed = PQtransactionStatus(server) != PQTRANS_IDLE;
	}
	if (effects & PDO_POOL_SQL_ENDS) {
		if (conn->schema_changed) {
			/* What the transaction changed may have been taken back. */
			pdo_pool_doubt_all(conn);
			conn->schema_changed = PQtransactionStatus(server) != PQTRANS_IDLE;
		}
		/* Applications that do everything in transactions leave no other moment. */
		pdo_pool_collect_garbage(conn, server);
	}
}
