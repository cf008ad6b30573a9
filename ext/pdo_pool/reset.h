/* Making a used statement as good as a new one. */

#ifndef PDO_POOL_RESET_H
#define PDO_POOL_RESET_H

#include "php_pdo_pool.h"

/* Whether it can be done on this connection: the driver is one whose statements we know. pdo_pgsql's only where the cache
 * is on, as its own prepared statements go stale. */
bool pdo_pool_resettable(const pdo_dbh_t *dbh);

/* False where something would be left behind. The statement is then only good to be freed. */
bool pdo_pool_reset_stmt(pdo_stmt_t *stmt);

#endif
