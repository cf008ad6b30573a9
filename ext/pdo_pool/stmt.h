/* What executing by a remembered name (kept.c) shares with executing by one that is looked up (stmt.c). */

#ifndef PDO_POOL_STMT_H
#define PDO_POOL_STMT_H

#include "dbh.h"

static zend_always_inline uint32_t pdo_pool_param_count(const pdo_stmt_t *stmt)
{
	return stmt->bound_params ? zend_hash_num_elements(stmt->bound_params) : 0;
}

/* Puts a result that succeeded where the driver would, but for its columns. */
static zend_always_inline void pdo_pool_take_rows(
	pdo_stmt_t *stmt, pdo_pool_pg_stmt *S, PGresult *result, ExecStatusType status)
{
	S->result = result;
	if (EXPECTED(status == PGRES_TUPLES_OK)) {
		stmt->row_count = PQntuples(result);
	} else {
		stmt->row_count = ZEND_STRTOL(PQcmdTuples(result), NULL, 10);
		S->handle->last_oid = PQoidValue(result);
	}
}

/* Executes a statement of ours. */
int pdo_pool_execute_cached(pdo_stmt_t *stmt);

int pdo_pool_fail(pdo_stmt_t *stmt, PGresult *result);

/* An execution by name failed. If only for the name, and in no transaction that it took along, it is done again. `hit`:
 * the name was there before. */
int pdo_pool_recover(pdo_stmt_t *stmt, pdo_pool_entry *entry, PGresult *result, bool hit);

/* kept.c: executes a statement of ours that has a spot on a shelf, which remembers the name. */
int pdo_pool_execute_kept(pdo_stmt_t *stmt);

#endif
