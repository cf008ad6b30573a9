/* What build/gen_stub.php would make of pdo_pool.stub.php. */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_pdo_pool_stats, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, pdo, PDO, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_pdo_pool_run, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, tasks, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_FUNCTION(pdo_pool_stats);
ZEND_FUNCTION(pdo_pool_run);

static const zend_function_entry ext_functions[] = {
	ZEND_FE(pdo_pool_stats, arginfo_pdo_pool_stats)
	ZEND_FE(pdo_pool_run, arginfo_pdo_pool_run)
	ZEND_FE_END
};
