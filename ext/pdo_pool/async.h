/* Calls of libpq that wait for the server by letting other fibers run. */

#ifndef PDO_POOL_ASYNC_H
#define PDO_POOL_ASYNC_H

#include "pool.h"

/* Before one of PQsend…(): from now on libpq returns rather than waiting for room to send. */
void pdo_pool_async_start(PGconn *server);

/* `sent`: what PQsend…() returned. The result that PQexec() and its like would have returned; never NULL but for lack of
 * memory. */
PGresult *pdo_pool_async_finish(pdo_pool_slot *slot, int sent);

/* connect.c: a new connection, as the pool's first. NULL with an exception. */
PGconn *pdo_pool_async_connect(pdo_pool_slot *slot);

#endif
