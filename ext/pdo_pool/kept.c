/* Executing statements that are handed out again and again. Their spot remembers the name by which they were executed
 * last, and the columns that this name has: while the cache is as it was then, nothing is looked up or described. */

#include "shelf.h"
#include "stmt.h"
#include "wire.h"

/* Whether the types of all parameters are left to the server. */
static zend_always_inline bool untyped(const Oid *types, size_t count)
{
	Oid any = 0;

	for (; count; count--) {
		any |= types[count - 1];
	}
	return !any;
}

/* Looks for a name, and remembers it. */
static zend_never_inline int execute_anew(pdo_stmt_t *stmt, pdo_pool_spot *spot)
{
	const pdo_pool_pg_stmt *S = stmt->driver_data;
	const pdo_pool_conn *conn = pdo_pool_conn_of(stmt->dbh);
	const pdo_pool_cache *cache = &conn->cache;
	pdo_pool_entry *entry;
	int done;

	pdo_pool_spot_forget(spot);
	done = pdo_pool_execute_cached(stmt);
	spot = pdo_pool_spot_of(&stmt->std);
	if (spot) { /* what the server tells meanwhile may call a user's code, which executes others */
		spot->column_count = stmt->column_count;
		entry = done && S->is_prepared
			? pdo_pool_cache_find(cache, stmt->query_string, pdo_pool_param_count(stmt), S->param_types)
			: NULL;
		if (entry && entry->named && entry->epoch == conn->epoch) {
			spot->entry = entry;
			spot->version = cache->version;
		}
	}
	return done;
}

/* Of a result without rows. */
static zend_never_inline int finish(pdo_stmt_t *stmt)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;
	pdo_pool_spot *spot = pdo_pool_spot_of(&stmt->std);
	PGresult *result = S->result;
	ExecStatusType status = PQresultStatus(result);
	pdo_pool_entry *entry;
	int done;

	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
		PDO_POOL_COUNT(hits);
		pdo_pool_take_rows(stmt, S, result, status);
		return 1;
	}
	S->result = NULL;
	if (!spot || spot->version != pdo_pool_conn_of(stmt->dbh)->cache.version) {
		return pdo_pool_fail(stmt, result);
	}
	entry = spot->entry;
	pdo_pool_spot_forget(spot);
	done = pdo_pool_recover(stmt, entry, result, true);
	spot->column_count = stmt->column_count;
	return done;
}

/* Puts away what the last execution left, and has the name be the one that was used last. */
static zend_never_inline void make_ready(pdo_stmt_t *stmt, pdo_pool_entry *entry)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;
	pdo_pool_list *named = &pdo_pool_conn_of(stmt->dbh)->cache.named;

	PQclear(S->result);
	S->result = NULL;
	if (named->newest != entry) {
		pdo_pool_list_touch(named, entry);
	}
}

int pdo_pool_execute_kept(pdo_stmt_t *stmt)
{
	pdo_pool_spot *spot = (pdo_pool_spot *) stmt->std.handlers;
	const pdo_pool_cache *cache = &pdo_pool_conn_of(stmt->dbh)->cache;
	pdo_pool_pg_stmt *S = stmt->driver_data;
	pdo_pool_entry *entry = spot->entry;
	uint32_t count = pdo_pool_param_count(stmt);
	PGresult *result;

	if (UNEXPECTED(spot->version != cache->version || count != entry->param_count || !untyped(S->param_types, count))) {
		return execute_anew(stmt, spot);
	}
	if (UNEXPECTED(S->result || cache->named.newest != entry)) {
		make_ready(stmt, entry);
		return pdo_pool_execute_kept(stmt);
	}
	S->current_row = 0;
	stmt->column_count = spot->column_count;
	result = PQexecPrepared(S->handle->server, entry->name, count, (const char *const *) S->param_values,
		S->param_lengths, S->param_formats, 0);
	S = stmt->driver_data; /* read again rather than kept over the call, as all below */
	S->result = result;
	stmt->row_count = PQntuples(result);
	if (UNEXPECTED(!stmt->row_count)) {
		return finish(stmt);
	}
	/* There are rows: libpq discards those of what failed later. */
	PDO_POOL_COUNT(hits);
	return 1;
}
