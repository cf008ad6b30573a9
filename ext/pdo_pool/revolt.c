/* Waiting by the event loop of Revolt, through its documented interface: EventLoop::onReadable(), onWritable(), delay(),
 * cancel(), getSuspension(), and the Suspension's suspend() and resume().
 *
 * Sockets and moments are callbacks of the loop. Who waits for something else is woken by a byte in a pipe, of which the
 * loop tells us: so that waking calls no PHP code, and can be done while PHP switches fibers. */

#include "pool.h"
#include "zend_closures.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"
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
	zend_class_entry *loop;
	int pipe[2];
	uint32_t sleepers; /* for whom the loop looks at the pipe */
	zval watch;        /* by this callback */
} revolt;

bool pdo_pool_revolt_loaded(void)
{
	return PDO_POOL_G(revolt) || zend_hash_str_exists(EG(class_table), ZEND_STRL("revolt\\eventloop"));
}

static revolt *state(void)
{
	revolt *r = PDO_POOL_G(revolt);
	int i;

	if (!r) {
		r = ecalloc(1, sizeof(*r));
		r->loop = zend_hash_str_find_ptr(EG(class_table), ZEND_STRL("revolt\\eventloop"));
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

/* Streams that only lend their descriptor. */
static int cast(php_stream *stream, int as, void **result)
{
	if (as != PHP_STREAM_AS_FD && as != PHP_STREAM_AS_FD_FOR_SELECT && as != PHP_STREAM_AS_SOCKETD) {
		return FAILURE;
	}
	if (result) {
		*(php_socket_t *) result = (php_socket_t) (intptr_t) stream->abstract;
	}
	return SUCCESS;
}

static int keep_open(php_stream *stream, int close_handle)
{
	return 0;
}

static ssize_t no_write(php_stream *stream, const char *buffer, size_t count)
{
	return -1;
}

static ssize_t no_read(php_stream *stream, char *buffer, size_t count)
{
	return -1;
}

static int no_flush(php_stream *stream)
{
	return 0;
}

static const php_stream_ops lent = {
	no_write, no_read, keep_open, no_flush, "pdo_pool socket", NULL, cast, NULL, NULL
};

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

ZEND_BEGIN_ARG_INFO_EX(arginfo_callback, 0, 0, 0)
	ZEND_ARG_VARIADIC_INFO(0, arguments)
ZEND_END_ARG_INFO()

/* A Closure of `handler`, as a method of `of` where that is not NULL. */
static void closure(zval *result, zif_handler handler, zend_object *of)
{
	zend_internal_function function = {0};
	zval object;

	function.type = ZEND_INTERNAL_FUNCTION;
	function.fn_flags = ZEND_ACC_PUBLIC | ZEND_ACC_VARIADIC;
	function.function_name = ZSTR_INIT_LITERAL("pdo_pool_callback", false);
	function.handler = handler;
	function.arg_info = (zend_internal_arg_info *) arginfo_callback + 1;
	function.scope = of ? of->ce : NULL;
	if (of) {
		ZVAL_OBJ(&object, of);
	}
	zend_create_fake_closure(result, (zend_function *) &function, function.scope, function.scope, of ? &object : NULL);
	zend_string_release(function.function_name); /* the closure has its own reference */
}

/* EventLoop::$method(...): `id` is what it returned, or undefined. */
static void call_loop(const char *method, zval *id, uint32_t count, zval *arguments)
{
	zend_function *function = zend_hash_str_find_ptr(&state()->loop->function_table, method, strlen(method));

	ZVAL_UNDEF(id);
	if (!function) {
		zend_throw_error(NULL, "pdo_pool knows no Revolt\\EventLoop without %s()", method);
		return;
	}
	zend_call_known_function(function, NULL, state()->loop, id, count, arguments, NULL);
}

static void watch(zval *id, int socket, bool writable, zif_handler handler, zend_object *suspension)
{
	php_stream *stream = php_stream_alloc(&lent, (void *) (intptr_t) socket, NULL, "r+");
	zval arguments[2];

	stream->flags |= PHP_STREAM_FLAG_NO_BUFFER | PHP_STREAM_FLAG_NO_SEEK;
	php_stream_to_zval(stream, &arguments[0]);
	closure(&arguments[1], handler, suspension);
	call_loop(writable ? "onwritable" : "onreadable", id, 2, arguments);
	zval_ptr_dtor(&arguments[0]);
	zval_ptr_dtor(&arguments[1]);
}

static void alarm_at(zval *id, double deadline, zend_object *suspension)
{
	zval arguments[2];

	ZVAL_DOUBLE(&arguments[0], MAX(deadline - pdo_pool_now(), 0));
	closure(&arguments[1], on_deadline, suspension);
	call_loop("delay", id, 2, arguments);
	zval_ptr_dtor(&arguments[1]);
}

/* Also where an exception is under way. */
static void cancel(zval *id)
{
	zval nothing;

	if (Z_TYPE_P(id) != IS_UNDEF) {
		zend_exception_save();
		call_loop("cancel", &nothing, 1, id);
		zval_ptr_dtor(&nothing);
		zend_exception_restore();
		zval_ptr_dtor(id);
		ZVAL_UNDEF(id);
	}
}

static void lie_down(nap *n, zval *suspension)
{
	call_loop("getsuspension", suspension, 0, NULL);
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
		watch(&readable, socket, false, on_socket, n.suspension);
	}
	if (!EG(exception) && (events & POLLOUT)) {
		watch(&writable, socket, true, on_socket, n.suspension);
	}
	if (!EG(exception) && deadline) {
		alarm_at(&alarm, deadline, n.suspension);
	}
	suspend(&n);
	cancel(&readable);
	cancel(&writable);
	cancel(&alarm);
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
		watch(&r->watch, r->pipe[0], false, on_pipe, NULL);
	}
	if (!EG(exception)) {
		alarm_at(&alarm, deadline, n.suspension);
	}
	suspend(&n);
	cancel(&alarm);
	if (n.suspension && !--r->sleepers) {
		cancel(&r->watch);
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
