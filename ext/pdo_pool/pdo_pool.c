#include "php_pdo_pool.h"
#include "ext/standard/info.h"
#include "hook.h"
#include "pool.h"
#include "reuse.h"
#include "wait.h"
#include "pdo_pool_arginfo.h"

ZEND_DECLARE_MODULE_GLOBALS(pdo_pool)

static bool is_one_of(const zend_string *value, const char *const *words)
{
	for (; *words; words++) {
		if (!strcasecmp(ZSTR_VAL(value), *words)) {
			return true;
		}
	}
	return false;
}

/* A word that is misspelt must not be taken for "off". */
static PHP_INI_MH(OnUpdatePooler)
{
	static const char *const on[] = {"on", "1", "yes", "true", NULL};
	static const char *const off[] = {"off", "0", "no", "false", "none", "", NULL};

	if (zend_string_equals_literal_ci(new_value, "auto")) {
		PDO_POOL_G(pooler) = PDO_POOL_POOLER_AUTO;
	} else if (is_one_of(new_value, on)) {
		PDO_POOL_G(pooler) = PDO_POOL_POOLER_ON;
	} else if (is_one_of(new_value, off)) {
		PDO_POOL_G(pooler) = PDO_POOL_POOLER_OFF;
	} else {
		return FAILURE;
	}
	return SUCCESS;
}

static PHP_INI_MH(OnUpdateReuse)
{
	int done = OnUpdateBool(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);

	if (!PDO_POOL_G(reuse_statements)) {
		pdo_pool_reuse_forget_all();
	}
	return done;
}

PHP_INI_BEGIN()
	STD_PHP_INI_ENTRY("pdo_pool.stmt_cache_size", "256", PHP_INI_ALL, OnUpdateLongGEZero, stmt_cache_size,
		zend_pdo_pool_globals, pdo_pool_globals)
	STD_PHP_INI_ENTRY("pdo_pool.prepare_threshold", "2", PHP_INI_ALL, OnUpdateLongGEZero, prepare_threshold,
		zend_pdo_pool_globals, pdo_pool_globals)
	STD_PHP_INI_BOOLEAN("pdo_pool.reuse_statements", "0", PHP_INI_ALL, OnUpdateReuse, reuse_statements,
		zend_pdo_pool_globals, pdo_pool_globals)
	STD_PHP_INI_BOOLEAN("pdo_pool.log", "0", PHP_INI_ALL, OnUpdateBool, log,
		zend_pdo_pool_globals, pdo_pool_globals)
	PHP_INI_ENTRY("pdo_pool.pooler", "auto", PHP_INI_ALL, OnUpdatePooler)
PHP_INI_END()

static PHP_GINIT_FUNCTION(pdo_pool)
{
#if defined(ZTS) && defined(COMPILE_DL_PDO_POOL)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(pdo_pool_globals, 0, sizeof(*pdo_pool_globals));
}

static PHP_MINIT_FUNCTION(pdo_pool)
{
	if (type == MODULE_TEMPORARY) {
		/* A persistent connection would keep pointing into us after the request. */
		php_error_docref(NULL, E_WARNING, "pdo_pool cannot be loaded by dl(); name it in php.ini");
		return FAILURE;
	}
	REGISTER_INI_ENTRIES();
	pdo_pool_declare_attributes();
	pdo_pool_hook_talks();
	pdo_pool_watch_fibers();
	return pdo_pool_hook();
}

static PHP_MSHUTDOWN_FUNCTION(pdo_pool)
{
	pdo_pool_unhook();
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(pdo_pool)
{
	pdo_pool_reuse_forget_all();
	pdo_pool_revolt_shutdown();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(pdo_pool)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "Version", PHP_PDO_POOL_VERSION);
	pdo_pool_stats_info();
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

/* PHP puts us behind them whatever the order of the extension lines; drivers register subclasses of PDO. */
static const zend_module_dep dependencies[] = {
	ZEND_MOD_REQUIRED("pdo")
	ZEND_MOD_OPTIONAL("pdo_pgsql")
	ZEND_MOD_OPTIONAL("pdo_mysql")
	ZEND_MOD_OPTIONAL("pdo_sqlite")
	ZEND_MOD_OPTIONAL("pdo_dblib")
	ZEND_MOD_OPTIONAL("pdo_firebird")
	ZEND_MOD_OPTIONAL("pdo_odbc")
	ZEND_MOD_END
};

zend_module_entry pdo_pool_module_entry = {
	STANDARD_MODULE_HEADER_EX,
	NULL,
	dependencies,
	"pdo_pool",
	ext_functions,
	PHP_MINIT(pdo_pool),
	PHP_MSHUTDOWN(pdo_pool),
	NULL,
	PHP_RSHUTDOWN(pdo_pool),
	PHP_MINFO(pdo_pool),
	PHP_PDO_POOL_VERSION,
	PHP_MODULE_GLOBALS(pdo_pool),
	PHP_GINIT(pdo_pool),
	NULL,
	NULL,
	STANDARD_MODULE_PROPERTIES_EX
};

#ifdef COMPILE_DL_PDO_POOL
# ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
# endif
ZEND_GET_MODULE(pdo_pool)
#endif
