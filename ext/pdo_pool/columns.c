#include "columns.h"

static bool same(const pdo_stmt_t *stmt, const pdo_pool_pg_stmt *S, const PGresult *result)
{
	int count = PQnfields(result), i;

	if (count != stmt->column_count) {
		return false;
	}
	for (i = 0; i < count; i++) {
		if (S->columns[i].type != PQftype(result, i)) {
			return false;
		}
		/* Where PDO changes the case of names, none would be found to be the same. */
		if (stmt->dbh->desired_case == PDO_CASE_NATURAL
				&& strcmp(ZSTR_VAL(stmt->columns[i].name), PQfname(result, i))) {
			return false;
		}
	}
	return true;
}

void pdo_pool_columns_free(pdo_stmt_t *stmt)
{
	int i;

	if (stmt->columns) {
		for (i = 0; i < stmt->column_count; i++) {
			if (stmt->columns[i].name) {
				zend_string_release_ex(stmt->columns[i].name, false);
			}
		}
		efree(stmt->columns);
		stmt->columns = NULL;
	}
	stmt->column_count = 0;
}

void pdo_pool_columns_forget(pdo_stmt_t *stmt, pdo_pool_pg_stmt *S)
{
	pdo_pool_columns_free(stmt);
	if (S->columns) {
		efree(S->columns);
		S->columns = NULL;
	}
	S->is_prepared = 0;
}

void pdo_pool_columns_follow(pdo_stmt_t *stmt, pdo_pool_pg_stmt *S, const PGresult *result)
{
	if (same(stmt, S, result)) {
		return;
	}
	pdo_pool_columns_forget(stmt, S);
	stmt->column_count = PQnfields(result);
	S->columns = ecalloc(MAX(stmt->column_count, 1), sizeof(*S->columns));
	stmt->executed = false;
}
