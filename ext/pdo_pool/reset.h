/* Making a used statement as good as a new one. */

#ifndef PDO_POOL_RESET_H
#define PDO_POOL_RESET_H

#include "layout.h"

/* Whether it can be done on this connection: the driver is one whose statements we know. pdo_pgsql's only where the cache
 * is on, as its own prepared statements go stale. */
bool pdo_pool_resettable(const pdo_dbh_t *dbh);

/* Whether fetching left nothing behind that could be told. */
static zend_always_inline bool pdo_pool_fetched_plainly(const pdo_stmt_t *stmt)
{
	static const char nothing[sizeof(stmt->fetch)];
	const char *fetch = (const char *) &stmt->fetch;

	/* What comes of fetching into classes and functions. A column number is harmless. */
	return !memcmp(fetch + sizeof(stmt->fetch.column), nothing, sizeof(stmt->fetch) - sizeof(stmt->fetch.column));
}

/* The driver points to values that are about to go. */
static zend_always_inline void pdo_pool_forget_values(const pdo_stmt_t *stmt, pdo_pool_pg_stmt *S)
{
	if (EXPECTED(S->param_values)) {
		memset(S->param_values, 0, zend_hash_num_elements(stmt->bound_param_map) * sizeof(*S->param_values));
	}
}

/* Lets go of what its last user gave it and got. Its columns stay described. */
static zend_always_inline void pdo_pool_reset_kept(pdo_stmt_t *stmt)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;

	if (EXPECTED(S->result)) {
		PQclear(S->result);
		S->result = NULL;
	}
	stmt->column_count = 0;
	/* Last, because values may have destructors. */
	if (stmt->bound_params) {
		pdo_pool_forget_values(stmt, S);
		zend_array_destroy(stmt->bound_params);
		stmt->bound_params = NULL;
	}
	if (UNEXPECTED(stmt->bound_columns)) {
		zend_array_destroy(stmt->bound_columns);
		stmt->bound_columns = NULL;
	}
}

/* The same of any other. False where something would be left behind: then it is only good to be freed. */
bool pdo_pool_reset_other(pdo_stmt_t *stmt);

#endif
