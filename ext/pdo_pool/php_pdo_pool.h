/* pdo_pool: prepared statements of PDO that are prepared once per connection.
 *
 * A connection of pdo_pgsql is adopted right after its construction (hook.c): its table of methods is replaced by ours
 * (dbh.c), whose statements are executed by ours (stmt.c), who look in the connection's cache (cache.c). */

#ifndef PHP_PDO_POOL_H
#define PHP_PDO_POOL_H

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php.h"
#include "php_ini.h"
#include "ext/pdo/php_pdo_driver.h"

#define PHP_PDO_POOL_VERSION "0.1.0"

extern zend_module_entry pdo_pool_module_entry;
#define phpext_pdo_pool_ptr &pdo_pool_module_entry

/* Each counts since the process (or thread) started. */
typedef struct {
	zend_ulong hits;        /* executed by a name that was there */
	zend_ulong misses;      /* prepared under a name, then executed */
	zend_ulong unnamed;     /* executed without a name, in one round trip */
	zend_ulong evictions;   /* names given up for lack of room */
	zend_ulong reprepares;  /* names given up because stale or lost */
	zend_ulong retries;     /* of those, executed again at once: the application noticed nothing */
	zend_ulong reused;      /* statement objects handed out again */
	zend_ulong connections; /* adopted */
	zend_ulong poolers;     /* of those, found to be behind a pooler */
} pdo_pool_counters;

typedef enum { PDO_POOL_POOLER_AUTO, PDO_POOL_POOLER_ON, PDO_POOL_POOLER_OFF } pdo_pool_pooler_mode;

ZEND_BEGIN_MODULE_GLOBALS(pdo_pool)
	/* settings */
	zend_long stmt_cache_size;
	zend_long prepare_threshold;
	bool reuse_statements;
	bool log;
	pdo_pool_pooler_mode pooler;

	pdo_pool_counters counters;

	/* The driver's, seen when it prepared its first statement, and ours with what we replace. They outlive every
	 * connection, as statements may outlive theirs while PHP shuts down. */
	const struct pdo_stmt_methods *driver_stmt_methods;
	struct pdo_stmt_methods cached_stmt_methods;
	struct pdo_stmt_methods kept_stmt_methods; /* of those that have a spot on a shelf, too */
	struct pdo_stmt_methods watched_stmt_methods;
	bool refused;

	/* pools, of which there are none unless PDO::ATTR_POOL_ENABLED is given */
	struct _pdo_pool *pools;
	struct pdo_stmt_methods pooled_cached_methods;
	struct pdo_stmt_methods pooled_watched_methods;
	const php_stream_ops *stock_lob_ops;
	php_stream_ops lob_ops;
	struct _pdo_pool_tasks *tasks;   /* of pdo_pool_run() */
	zend_ulong runs_ended;           /* of it */
	struct _pdo_pool_revolt *revolt; /* what sleeps by its event loop */

	struct _pdo_pool_shelf *shelves; /* all of them */
ZEND_END_MODULE_GLOBALS(pdo_pool)

/* Reached without the detour that symbols of other objects need. */
#pragma GCC visibility push(hidden)
ZEND_EXTERN_MODULE_GLOBALS(pdo_pool)
#pragma GCC visibility pop
#define PDO_POOL_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(pdo_pool, v)

#if defined(ZTS) && defined(COMPILE_DL_PDO_POOL)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#define PDO_POOL_COUNT(what) (PDO_POOL_G(counters).what++)

PHP_FUNCTION(pdo_pool_stats);
PHP_FUNCTION(pdo_pool_run);
void pdo_pool_stats_info(void);

#endif
