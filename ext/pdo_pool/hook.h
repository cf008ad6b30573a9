/* Where PHP code meets PDO: methods of PDO and its subclasses that we stand before. */

#ifndef PDO_POOL_HOOK_H
#define PDO_POOL_HOOK_H

#include "php_pdo_pool.h"

/* Once, while PHP starts. FAILURE where there is no PDO. */
zend_result pdo_pool_hook(void);
void pdo_pool_unhook(void);

#endif
