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

/* One suspension; the callbacks find it by its object. Not on the stack: a fatal error leaves that without a farewell. */
struct _nap {
	nap *next;
	zval suspension;
	bool woken;
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

	if (!r) {
		r = ecalloc(1, sizeof(*r));
		r->pipe[0] = r->pipe[1] = -1;
		PDO_POOL_G(revolt) = r;
	}
	return r;
}

/* False with an exception. */
static bool open_pipe(revolt *r)
{
	int ends[2], i;

	if (r->pipe[0] >= 0) {
		return true;
	}
	if (pipe(ends)) {
		pdo_pool_throw("HY000", "pdo_pool has no pipe to wake fibers by (%s); allow the process more open files "
			"(ulimit -n)", strerror(errno));
		return false;
	}
	for (i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		fcntl(ends[i], F_SETFL, O_NONBLOCK);
		r->pipe[i] = ends[i];
	}
	return true;
}

static void call(const nap *n, const char *method)
{
	zend_object *suspension = Z_OBJ(n->suspension);

	zend_call_method(suspension, suspension->ce, NULL, method, strlen(method), NULL, 0, NULL, NULL);
}

static void resume(nap *n, pdo_pool_outcome outcome)
{
	n->resumed = true;
	n->outcome = outcome;
	call(n, "resume");
}

static void resume_by(zend_object *suspension, pdo_pool_outcome outcome)
{
	nap *n;

	for (n = PDO_POOL_G(revolt) ? PDO_POOL_G(revolt)->naps : NULL; n; n = n->next) {
		if (Z_OBJ(n->suspension) == suspension) {
			if (!n->resumed) {
				resume(n, outcome);
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

		if (n->woken && !n->resumed) {
			resume(n, PDO_POOL_READY);
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

/* NULL with an exception. */
static nap *lie_down(void)
{
	revolt *r = state();
	zval suspension;
	nap *n;

	pdo_pool_loop_call("getsuspension", &suspension, 0, NULL);
	if (EG(exception)) {
		return NULL;
	}
	n = ecalloc(1, sizeof(*n));
	ZVAL_COPY_VALUE(&n->suspension, &suspension);
	n->next = r->naps;
	r->naps = n;
	return n;
}

static pdo_pool_outcome get_up(nap *n)
{
	pdo_pool_outcome outcome = EG(exception) ? PDO_POOL_INTERRUPTED : n->outcome;
	nap **link = &PDO_POOL_G(revolt)->naps;

	while (*link != n) {
		link = &(*link)->next;
	}
	*link = n->next;
	zval_ptr_dtor(&n->suspension);
	efree(n);
	return outcome;
}

/* Others than we may resume it, which then waits as before. */
static void suspend(const nap *n)
{
	while (!n->resumed && !EG(exception)) {
		call(n, "suspend");
	}
}

pdo_pool_outcome pdo_pool_revolt_wait_socket(int socket, int events, double deadline)
{
	zval readable, writable, alarm;
	nap *n = lie_down();

	if (!n) {
		return PDO_POOL_INTERRUPTED;
	}
	ZVAL_UNDEF(&readable);
	ZVAL_UNDEF(&writable);
	ZVAL_UNDEF(&alarm);
	if (events & POLLIN) {
		pdo_pool_loop_watch(&readable, socket, false, on_socket, Z_OBJ(n->suspension));
	}
	if (!EG(exception) && (events & POLLOUT)) {
		pdo_pool_loop_watch(&writable, socket, true, on_socket, Z_OBJ(n->suspension));
	}
	if (!EG(exception) && deadline) {
		pdo_pool_loop_alarm(&alarm, deadline, on_deadline, Z_OBJ(n->suspension));
	}
	suspend(n);
	pdo_pool_loop_cancel(&readable);
	pdo_pool_loop_cancel(&writable);
	pdo_pool_loop_cancel(&alarm);
	return get_up(n);
}

pdo_pool_outcome pdo_pool_revolt_sleep(pdo_pool_sleeper *sleeper, double deadline)
{
	revolt *r = state();
	nap *n = open_pipe(r) ? lie_down() : NULL;
	zval alarm;

	if (!n) {
		return PDO_POOL_INTERRUPTED;
	}
	ZVAL_UNDEF(&alarm);
	sleeper->nap = n;
	if (!r->sleepers++) {
		pdo_pool_loop_watch(&r->watch, r->pipe[0], false, on_pipe, NULL);
	}
	if (!EG(exception)) {
		pdo_pool_loop_alarm(&alarm, deadline, on_deadline, Z_OBJ(n->suspension));
	}
	suspend(n);
	pdo_pool_loop_cancel(&alarm);
	if (!--r->sleepers) {
		pdo_pool_loop_cancel(&r->watch);
	}
	return get_up(n);
}

void pdo_pool_revolt_wake(pdo_pool_sleeper *sleeper)
{
	const revolt *r = PDO_POOL_G(revolt);
	nap *n = sleeper->nap;
	ssize_t written;

	if (n && r) { /* else it has yet to lie down, or the request is over */
		n->woken = true;
		written = write(r->pipe[1], "", 1);
		(void) written; /* a pipe that is full is as good */
	}
}

void pdo_pool_revolt_shutdown(void)
{
	revolt *r = PDO_POOL_G(revolt);

	if (r) {
		if (r->pipe[0] >= 0) {
			close(r->pipe[0]);
			close(r->pipe[1]);
		}
		efree(r);
		PDO_POOL_G(revolt) = NULL;
	}
}
