/* Waiting in a fiber while others run: by the event loop of Revolt, or in pdo_pool_run(). */

#ifndef PDO_POOL_WAIT_H
#define PDO_POOL_WAIT_H

#include "php_pdo_pool.h"
#include "main/php_network.h"

typedef enum {
	PDO_POOL_READY,
	PDO_POOL_TIMED_OUT,
	PDO_POOL_HOPELESS,   /* whoever could end the wait does not run */
	PDO_POOL_INTERRUPTED /* with an exception: the fiber is being destroyed, or the scheduler failed */
} pdo_pool_outcome;

/* Those who can make a fiber wait. */
typedef enum { PDO_POOL_BY_BLOCKING, PDO_POOL_BY_TASKS, PDO_POOL_BY_REVOLT } pdo_pool_scheduler;

/* One that sleeps until it is woken. Not on the stack: a fatal error leaves that without a farewell. */
typedef struct {
	pdo_pool_scheduler by;
	bool woken;
	struct _nap *nap; /* of revolt.c */
} pdo_pool_sleeper;

/* Of the code that runs. Outside of fibers, sockets block; turns may not need to: `turn`. */
pdo_pool_scheduler pdo_pool_scheduler_here(bool turn);

/* `events`: POLLIN, POLLOUT. `deadline`: a moment of pdo_pool_now(), or 0. Blocks where nobody can wait. */
pdo_pool_outcome pdo_pool_wait_socket(int socket, int events, double deadline);

/* Until pdo_pool_wake(sleeper), or the deadline. Only where pdo_pool_scheduler_here(true) is not blocking. */
pdo_pool_outcome pdo_pool_sleep(pdo_pool_sleeper *sleeper, double deadline);

/* Calls no PHP code. */
void pdo_pool_wake(pdo_pool_sleeper *sleeper);

/* tasks.c: pdo_pool_run() */
bool pdo_pool_in_task(void);
pdo_pool_outcome pdo_pool_task_wait_socket(int socket, int events, double deadline);
pdo_pool_outcome pdo_pool_task_sleep(const pdo_pool_sleeper *sleeper, double deadline);

/* revolt.c */
bool pdo_pool_revolt_loaded(void);
pdo_pool_outcome pdo_pool_revolt_wait_socket(int socket, int events, double deadline);
pdo_pool_outcome pdo_pool_revolt_sleep(pdo_pool_sleeper *sleeper, double deadline);
void pdo_pool_revolt_wake(pdo_pool_sleeper *sleeper);
void pdo_pool_revolt_shutdown(void);

#endif
