/* Statement objects that nobody uses any more, handed out again for the same SQL.
 * Of pdo_pgsql, pdo_mysql and pdo_sqlite.
 *
 * One statement of each SQL and PDO object can be: the first one that was prepared. While it is idle it holds no
 * reference to its PDO object, so that connections close when they would without us. */

#ifndef PDO_POOL_REUSE_H
#define PDO_POOL_REUSE_H

#include "php_pdo_pool.h"

/* PDO::prepare(), by `stock` where there is nothing to hand out. */
void pdo_pool_reuse_prepare(zend_execute_data *execute_data, zval *return_value, zif_handler stock);

/* What was prepared on this PDO object so far is never handed out again. */
void pdo_pool_reuse_forget(zend_object *pdo);

/* The same of this statement. */
void pdo_pool_reuse_exclude(zend_object *stmt);

/* At the end of a request. */
void pdo_pool_reuse_forget_all(void);

#endif
