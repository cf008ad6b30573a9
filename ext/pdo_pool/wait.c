#include "pool.h"
#include "zend_fibers.h"
#include "wait.h"

/* In destructors, and in a fiber that is being destroyed, nobody can be switched to. PHP 8.1.2 goes on to take a fiber that
 * a fatal error has ended for the one that runs, and crashes where anybody suspends then. */
static bool may_suspend(void)
{
	const zend_fiber *fiber = EG(active_fiber);

	return !zend_fiber_switch_blocked() && !EG(exception)
		&& (!fiber || (&fiber->context == EG(current_fiber_context) && !(fiber->flags & ZEND_FIBER_FLAG_DESTROYED)));
}

pdo_pool_scheduler pdo_pool_scheduler_here(bool turn)
{
	if (!may_suspend()) {
		return PDO_POOL_BY_BLOCKING;
	}
	if (pdo_pool_in_task()) {
		return PDO_POOL_BY_TASKS;
	}
	return (EG(active_fiber) || turn) && !PDO_POOL_G(tasks) && pdo_pool_revolt_loaded()
		? PDO_POOL_BY_REVOLT : PDO_POOL_BY_BLOCKING;
}

static pdo_pool_outcome block(int socket, int events, double deadline)
{
	php_pollfd descriptor = {.fd = socket, .events = (short) events};
	int found, timeout = -1;

	do {
		if (deadline) {
			timeout = (int) MIN(MAX((deadline - pdo_pool_now()) * 1000 + 1, 0), INT_MAX);
		}
		found = php_poll2(&descriptor, 1, timeout);
	} while (found < 0 && errno == EINTR);
	return found ? PDO_POOL_READY : PDO_POOL_TIMED_OUT;
}

pdo_pool_outcome pdo_pool_wait_socket(int socket, int events, double deadline)
{
	switch (pdo_pool_scheduler_here(false)) {
		case PDO_POOL_BY_TASKS:
			return pdo_pool_task_wait_socket(socket, events, deadline);
		case PDO_POOL_BY_REVOLT:
			return pdo_pool_revolt_wait_socket(socket, events, deadline);
		default:
			return block(socket, events, deadline);
	}
}

pdo_pool_outcome pdo_pool_sleep(pdo_pool_sleeper *sleeper, double deadline)
{
	sleeper->by = pdo_pool_scheduler_here(true);
	sleeper->woken = false;
	sleeper->nap = NULL;
	return sleeper->by == PDO_POOL_BY_TASKS
		? pdo_pool_task_sleep(sleeper, deadline) : pdo_pool_revolt_sleep(sleeper, deadline);
}

void pdo_pool_wake(pdo_pool_sleeper *sleeper)
{
	sleeper->woken = true;
	if (sleeper->by == PDO_POOL_BY_REVOLT) {
		pdo_pool_revolt_wake(sleeper);
	}
}
