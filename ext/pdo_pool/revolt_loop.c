#include "revolt_loop.h"
#include "compat.h"
#include "pool.h"
#include "main/php_network.h"
#include "zend_exceptions.h"

zend_class_entry *pdo_pool_loop_class(void)
{
	return zend_hash_str_find_ptr(EG(class_table), ZEND_STRL("revolt\\eventloop"));
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

/* A Closure of `handler`, as a method of `of` where that is not NULL. */
static void closure(zval *result, zif_handler handler, zend_object *of)
{
	zend_internal_function function = {0};

	function.type = ZEND_INTERNAL_FUNCTION;
	function.fn_flags = ZEND_ACC_PUBLIC;
	function.function_name = zend_string_init(ZEND_STRL("pdo_pool_callback"), false);
	function.handler = handler;
	function.scope = of ? of->ce : NULL;
	pdo_pool_create_closure(result, (zend_function *) &function, function.scope, of);
	zend_string_release(function.function_name); /* the closure has its own reference */
}

void pdo_pool_loop_call(const char *method, zval *result, uint32_t count, zval *arguments)
{
	zend_class_entry *loop = pdo_pool_loop_class();
	zend_function *function = zend_hash_str_find_ptr(&loop->function_table, method, strlen(method));

	ZVAL_UNDEF(result);
	if (!function) {
		zend_throw_error(NULL, "pdo_pool knows no Revolt\\EventLoop without %s()", method);
		return;
	}
	zend_call_known_function(function, NULL, loop, result, count, arguments, NULL);
}

void pdo_pool_loop_watch(zval *id, int socket, bool writable, zif_handler handler, zend_object *of)
{
	php_stream *stream = php_stream_alloc(&lent, (void *) (intptr_t) socket, NULL, "r+");
	zval arguments[2];

	stream->flags |= PHP_STREAM_FLAG_NO_BUFFER | PHP_STREAM_FLAG_NO_SEEK;
	php_stream_to_zval(stream, &arguments[0]);
	closure(&arguments[1], handler, of);
	pdo_pool_loop_call(writable ? "onwritable" : "onreadable", id, 2, arguments);
	zval_ptr_dtor(&arguments[0]);
	zval_ptr_dtor(&arguments[1]);
}

void pdo_pool_loop_alarm(zval *id, double deadline, zif_handler handler, zend_object *of)
{
	zval arguments[2];

	ZVAL_DOUBLE(&arguments[0], MAX(deadline - pdo_pool_now(), 0));
	closure(&arguments[1], handler, of);
	pdo_pool_loop_call("delay", id, 2, arguments);
	zval_ptr_dtor(&arguments[1]);
}

void pdo_pool_loop_cancel(zval *id)
{
	zend_object *before = EG(exception);
	zval nothing;

	if (Z_TYPE_P(id) == IS_UNDEF) {
		return;
	}
	EG(exception) = NULL;
	pdo_pool_loop_call("cancel", &nothing, 1, id);
	zval_ptr_dtor(&nothing);
	if (!EG(exception)) {
		EG(exception) = before;
	} else if (before) {
		zend_exception_set_previous(EG(exception), before);
	}
	zval_ptr_dtor(id);
	ZVAL_UNDEF(id);
}
