/* Waiting by the event loop of Revolt: fibers that sleep by a Suspension of its, and what resumes them.
 *
 * Sockets and moments are callbacks of the loop. Who waits for something else is woken by a byte in a pipe, of which the
 * loop tells us: so that waking calls no PHP code, and can be done while PHP switches fibers. */

#include "pool.h"
#include "zend_interfaces.h"
#include "revolt_loop.h"
#include "wait.h"

#include <fcntl.h>

typedef struct _nap nap;

/* One suspension; the callbacks find it by its object. */
struct _nap {
	nap *next;
	zend_object *suspension;
	pdo_pool_sleeper *sleeper; /* NULL: waits for a socket */
	bool resumed;
	pdo_pool_outcome outcome;
};

typedef struct _pdo_pool_revolt {
	nap *naps;
	int pipe[2];
	uint32_t sleepers; /* for whom the loop looks at the pipe */
	zval watch;        /* by this callback */
} revolt;

bool pdo_pool_revolt_loaded(void)
{
	return pdo_pool_loop_class() != NULL;
}

static revolt *state(void)
{
	revolt *r = PDO_POOL_G(revolt);
	int i;

	if (!r) {
		r = ecalloc(1, sizeof(*r));
		if (pipe(r->pipe)) {
			r->pipe[0] = r->pipe[1] = -1;
		}
		for (i = 0; i < 2 && r->pipe[i] >= 0; i++) {
			fcntl(r->pipe[i], F_SETFD, FD_CLOEXEC);
			fcntl(r->pipe[i], F_SETFL, O_NONBLOCK);
		}
		PDO_POOL_G(revolt) = r;
	}
	return r;
}

static void resume(nap *n)
{
	n->resumed = true;
	zend_call_method_with_0_params(n->suspension, n->suspension->ce, NULL, "resume", NULL);
}

static void resume_by(zend_object *suspension, pdo_pool_outcome outcome)
{
	nap *n;

	for (n = PDO_POOL_G(revolt) ? PDO_POOL_G(revolt)->naps : NULL; n; n = n->next) {
		if (n->suspension == suspension) {
			if (!n->resumed) {
				n->outcome = outcome;
				resume(n);
			}
			return;
		}
	}
}

static ZEND_NAMED_FUNCTION(on_socket)
{
	resume_by(Z_OBJ(EX(This)), PDO_POOL_READY);
}

static ZEND_NAMED_FUNCTION(on_deadline)
{
	resume_by(Z_OBJ(EX(This)), PDO_POOL_TIMED_OUT);
}

static void wake_all(void)
{
	nap *n = PDO_POOL_G(revolt) ? PDO_POOL_G(revolt)->naps : NULL;

	while (n) {
		nap *next = n->next;

		if (n->sleeper && n->sleeper->woken && !n->resumed) {
			n->outcome = PDO_POOL_READY;
			resume(n);
		}
		n = next;
	}
}

static ZEND_NAMED_FUNCTION(on_pipe)
{
	char bytes[64];

	while (PDO_POOL_G(revolt) && read(PDO_POOL_G(revolt)->pipe[0], bytes, sizeof(bytes)) > 0) {
	}
	wake_all();
}

static void lie_down(nap *n, zval *suspension)
{
	pdo_pool_loop_call("getsuspension", suspension, 0, NULL);
	if (!EG(exception)) {
		n->suspension = Z_OBJ_P(suspension);
		n->next = state()->naps;
		state()->naps = n;
	}
}

static pdo_pool_outcome get_up(nap *n, zval *suspension)
{
	nap **link = &state()->naps;

	while (*link && *link != n) {
		link = &(*link)->next;
	}
	if (*link) {
		*link = n->next;
	}
	zval_ptr_dtor(suspension);
	return EG(exception) ? PDO_POOL_INTERRUPTED : n->outcome;
}

static void suspend(const nap *n)
{
	if (!EG(exception)) {
		zend_call_method_with_0_params(n->suspension, n->suspension->ce, NULL, "suspend", NULL);
	}
}

pdo_pool_outcome pdo_pool_revolt_wait_socket(int socket, int events, double deadline)
{
	zval suspension, readable, writable, alarm;
	nap n = {0};

	ZVAL_UNDEF(&readable);
	ZVAL_UNDEF(&writable);
	ZVAL_UNDEF(&alarm);
	lie_down(&n, &suspension);
	if (!EG(exception) && (events & POLLIN)) {
		pdo_pool_loop_watch(&readable, socket, false, on_socket, n.suspension);
	}
	if (!EG(exception) && (events & POLLOUT)) {
		pdo_pool_loop_watch(&writable, socket, true, on_socket, n.suspension);
	}
	if (!EG(exception) && deadline) {
		pdo_pool_loop_alarm(&alarm, deadline, on_deadline, n.suspension);
	}
	suspend(&n);
	pdo_pool_loop_cancel(&readable);
	pdo_pool_loop_cancel(&writable);
	pdo_pool_loop_cancel(&alarm);
	return get_up(&n, &suspension);
}

pdo_pool_outcome pdo_pool_revolt_sleep(pdo_pool_sleeper *sleeper, double deadline)
{
	zval suspension, alarm;
	nap n = {.sleeper = sleeper};
	revolt *r = state();

	ZVAL_UNDEF(&alarm);
	lie_down(&n, &suspension);
	if (!EG(exception) && !r->sleepers++) {
		pdo_pool_loop_watch(&r->watch, r->pipe[0], false, on_pipe, NULL);
	}
	if (!EG(exception)) {
		pdo_pool_loop_alarm(&alarm, deadline, on_deadline, n.suspension);
	}
	suspend(&n);
	pdo_pool_loop_cancel(&alarm);
	if (n.suspension && !--r->sleepers) {
		pdo_pool_loop_cancel(&r->watch);
	}
	return get_up(&n, &suspension);
}

void pdo_pool_revolt_wake(void)
{
	ssize_t written = write(state()->pipe[1], "", 1);

	(void) written; /* a pipe that is full is as good */
}

void pdo_pool_revolt_shutdown(void)
{
	revolt *r = PDO_POOL_G(revolt);

	if (r) {
		close(r->pipe[0]);
		close(r->pipe[1]);
		efree(r);
		PDO_POOL_G(revolt) = NULL;
	}
}
