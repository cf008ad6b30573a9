/* Waiting in a fiber while others run: by the event loop of Revolt, or in pdo_pool_run(). */

#ifndef PDO_POOL_WAIT_H
#define PDO_POOL_WAIT_H

#include "php_pdo_pool.h"
#include "main/php_network.h"

typedef enum {
	PDO_POOL_READY,
	PDO_POOL_TIMED_OUT,
	PDO_POOL_INTERRUPTED /* with an exception: the fiber is being destroyed, or the scheduler failed */
} pdo_pool_outcome;

/* One that sleeps until it is woken. */
typedef struct _pdo_pool_sleeper pdo_pool_sleeper;

/* Those who can make a fiber wait. */
typedef enum { PDO_POOL_BY_BLOCKING, PDO_POOL_BY_TASKS, PDO_POOL_BY_REVOLT } pdo_pool_scheduler;

/* Of the code that runs. Outside of fibers, sockets block; turns may not need to: `turn`. */
pdo_pool_scheduler pdo_pool_scheduler_here(bool turn);

/* `events`: POLLIN, POLLOUT. `deadline`: a moment of pdo_pool_now(), or 0. Blocks where nobody can wait. */
pdo_pool_outcome pdo_pool_wait_socket(int socket, int events, double deadline);

/* Until pdo_pool_wake(*where), or the deadline. Only where pdo_pool_scheduler_here(true) is not blocking. `*where` is
 * NULL again afterwards. */
pdo_pool_outcome pdo_pool_sleep(pdo_pool_sleeper **where, double deadline);

/* Calls no PHP code. */
void pdo_pool_wake(pdo_pool_sleeper *sleeper);

struct _pdo_pool_sleeper {
	pdo_pool_scheduler by;
	bool woken;
	void *of; /* what its scheduler knows it by */
};

/* tasks.c: pdo_pool_run() */
bool pdo_pool_in_task(void);
pdo_pool_outcome pdo_pool_task_wait_socket(int socket, int events, double deadline);
pdo_pool_outcome pdo_pool_task_sleep(pdo_pool_sleeper *sleeper, double deadline);

/* revolt.c */
bool pdo_pool_revolt_loaded(void);
pdo_pool_outcome pdo_pool_revolt_wait_socket(int socket, int events, double deadline);
pdo_pool_outcome pdo_pool_revolt_sleep(pdo_pool_sleeper *sleeper, double deadline);
void pdo_pool_revolt_wake(void);
void pdo_pool_revolt_shutdown(void);

#endif
