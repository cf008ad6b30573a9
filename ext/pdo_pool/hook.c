#include "hook.h"
#include "pool.h"
#include "reuse.h"

typedef struct {
	const char *class_name;
	const char *method;
	zif_handler ours;
	zif_handler stock;
} hook;

enum { CONSTRUCT, CONNECT, PREPARE, SET_ATTRIBUTE, STMT_SET_ATTRIBUTE, BIND_COLUMN, HOOKS };

static void on_construct(INTERNAL_FUNCTION_PARAMETERS);
static void on_connect(INTERNAL_FUNCTION_PARAMETERS);
static void on_prepare(INTERNAL_FUNCTION_PARAMETERS);
static void on_set_attribute(INTERNAL_FUNCTION_PARAMETERS);
static void on_stmt_set_attribute(INTERNAL_FUNCTION_PARAMETERS);
static void on_bind_column(INTERNAL_FUNCTION_PARAMETERS);

/* Written while PHP starts, then only read. */
static hook hooks[HOOKS] = {
	[CONSTRUCT] = {"pdo", "__construct", on_construct, NULL},
	[CONNECT] = {"pdo", "connect", on_connect, NULL}, /* since PHP 8.4 */
	[PREPARE] = {"pdo", "prepare", on_prepare, NULL},
	[SET_ATTRIBUTE] = {"pdo", "setattribute", on_set_attribute, NULL},
	[STMT_SET_ATTRIBUTE] = {"pdostatement", "setattribute", on_stmt_set_attribute, NULL},
	[BIND_COLUMN] = {"pdostatement", "bindcolumn", on_bind_column, NULL},
};

/* What the options want. An exception is thrown where that cannot be. */
static void look_after(const zend_execute_data *execute_data, zend_object *object)
{
	const zval *options = ZEND_NUM_ARGS() >= 4 ? ZEND_CALL_ARG(execute_data, 4) : NULL;
	pdo_pool_options pool;

	pdo_pool_reuse_forget(php_pdo_dbh_fetch_inner(object)); /* others who share it now have these settings, too */
	if (options && Z_TYPE_P(options) == IS_REFERENCE) {
		options = Z_REFVAL_P(options);
	}
	if (options && Z_TYPE_P(options) == IS_ARRAY && pdo_pool_read_options(Z_ARRVAL_P(options), &pool)) {
		pdo_pool_open(object, &pool);
	} else if (!EG(exception)) {
		pdo_pool_adopt(php_pdo_dbh_fetch_inner(object));
	}
}

static void on_construct(INTERNAL_FUNCTION_PARAMETERS)
{
	if (UNEXPECTED(PDO_POOL_G(pools)) && Z_TYPE(EX(This)) == IS_OBJECT && pdo_pool_of(Z_PDO_DBH_P(ZEND_THIS))) {
		zend_throw_error(NULL, "a PDO object with a pool cannot be constructed again");
		return;
	}
	if (Z_TYPE(EX(This)) == IS_OBJECT) {
		pdo_pool_reuse_forget(Z_PDO_DBH_P(ZEND_THIS)); /* it may be constructed again */
	}
	hooks[CONSTRUCT].stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	if (EXPECTED(!EG(exception)) && Z_TYPE(EX(This)) == IS_OBJECT) {
		look_after(execute_data, Z_OBJ_P(ZEND_THIS));
	}
}

static void on_connect(INTERNAL_FUNCTION_PARAMETERS)
{
	hooks[CONNECT].stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	if (EXPECTED(!EG(exception)) && Z_TYPE_P(return_value) == IS_OBJECT) {
		look_after(execute_data, Z_OBJ_P(return_value));
		if (UNEXPECTED(EG(exception))) {
			zval_ptr_dtor(return_value);
			ZVAL_UNDEF(return_value);
		}
	}
}

static void on_prepare(INTERNAL_FUNCTION_PARAMETERS)
{
	if (pdo_pool_reuse_take(execute_data, return_value)) {
		return;
	}
	if (PDO_POOL_G(reuse_statements)) {
		pdo_pool_reuse_prepare(execute_data, return_value, hooks[PREPARE].stock);
	} else {
		hooks[PREPARE].stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

static void on_set_attribute(INTERNAL_FUNCTION_PARAMETERS)
{
	if (Z_TYPE(EX(This)) == IS_OBJECT) {
		pdo_pool_reuse_forget(Z_PDO_DBH_P(ZEND_THIS));
	}
	hooks[SET_ATTRIBUTE].stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void on_stmt_set_attribute(INTERNAL_FUNCTION_PARAMETERS)
{
	if (Z_TYPE(EX(This)) == IS_OBJECT) {
		pdo_pool_reuse_exclude(Z_OBJ(EX(This)));
	}
	hooks[STMT_SET_ATTRIBUTE].stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void on_bind_column(INTERNAL_FUNCTION_PARAMETERS)
{
	if (Z_TYPE(EX(This)) == IS_OBJECT) {
		pdo_pool_reuse_describe(Z_OBJ(EX(This)));
	}
	hooks[BIND_COLUMN].stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Internal subclasses (Pdo\Pgsql, …) have copies of the methods that they inherit. */
static void replace(const hook *h, zend_class_entry *base, zif_handler from, zif_handler to)
{
	zend_class_entry *ce;
	zend_function *function;

	ZEND_HASH_FOREACH_PTR(CG(class_table), ce) {
		if (ce->type != ZEND_INTERNAL_CLASS || !instanceof_function(ce, base)) {
			continue;
		}
		function = zend_hash_str_find_ptr(&ce->function_table, h->method, strlen(h->method));
		if (function && function->type == ZEND_INTERNAL_FUNCTION && function->internal_function.handler == from) {
			function->internal_function.handler = to;
		}
	} ZEND_HASH_FOREACH_END();
}

zend_result pdo_pool_hook(void)
{
	size_t i;

	for (i = 0; i < HOOKS; i++) {
		hook *h = &hooks[i];
		zend_class_entry *base = zend_hash_str_find_ptr(CG(class_table), h->class_name, strlen(h->class_name));
		zend_function *function;

		if (!base) {
			return FAILURE;
		}
		function = zend_hash_str_find_ptr(&base->function_table, h->method, strlen(h->method));
		if (function && function->type == ZEND_INTERNAL_FUNCTION) {
			h->stock = function->internal_function.handler;
			replace(h, base, h->stock, h->ours);
		}
	}
	return SUCCESS;
}

void pdo_pool_unhook(void)
{
	size_t i;

	for (i = 0; i < HOOKS; i++) {
		hook *h = &hooks[i];
		zend_class_entry *base = zend_hash_str_find_ptr(CG(class_table), h->class_name, strlen(h->class_name));

		if (base && h->stock) {
			replace(h, base, h->ours, h->stock);
		}
	}
}
