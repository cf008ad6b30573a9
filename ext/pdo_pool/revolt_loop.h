/* Calls of Revolt\EventLoop, through its documented interface: onReadable(), onWritable(), delay(), cancel() and
 * getSuspension(). All may run PHP code, and throw. */

#ifndef PDO_POOL_REVOLT_LOOP_H
#define PDO_POOL_REVOLT_LOOP_H

#include "php_pdo_pool.h"

/* NULL where it is not loaded. */
zend_class_entry *pdo_pool_loop_class(void);

/* EventLoop::$method(...), in lower case. `result`: what it returned, or undefined. */
void pdo_pool_loop_call(const char *method, zval *result, uint32_t count, zval *arguments);

/* `id`: of a callback that calls `handler`, as a method of `of` where that is not NULL; or undefined. */
void pdo_pool_loop_watch(zval *id, int socket, bool writable, zif_handler handler, zend_object *of);
/* `deadline`: a moment of pdo_pool_now(). */
void pdo_pool_loop_alarm(zval *id, double deadline, zif_handler handler, zend_object *of);
/* Also where an exception is under way. `id` is undefined afterwards. */
void pdo_pool_loop_cancel(zval *id);

#endif
