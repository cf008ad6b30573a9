/* PDO describes the columns of a statement at its first execution, and trusts every later one to have the same. */

#ifndef PDO_POOL_COLUMNS_H
#define PDO_POOL_COLUMNS_H

#include "layout.h"

/* Of a statement whose columns are described: makes PDO describe them again if those of `result` differ. */
void pdo_pool_columns_follow(pdo_stmt_t *stmt, pdo_pool_pg_stmt *S, const PGresult *result);

/* Forgets what PDO knows of the columns. */
void pdo_pool_columns_free(pdo_stmt_t *stmt);

/* And what the driver knows. */
void pdo_pool_columns_forget(pdo_stmt_t *stmt, pdo_pool_pg_stmt *S);

#endif
