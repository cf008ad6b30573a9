#include "php_pdo_pool.h"
#include "dbh.h"
#include "ext/standard/info.h"

#include <stdarg.h>

typedef struct {
	const char *name;
	size_t offset;
} counter;

static const counter counters[] = {
	{"hits", XtOffsetOf(pdo_pool_counters, hits)},
	{"misses", XtOffsetOf(pdo_pool_counters, misses)},
	{"unnamed", XtOffsetOf(pdo_pool_counters, unnamed)},
	{"evictions", XtOffsetOf(pdo_pool_counters, evictions)},
	{"reprepares", XtOffsetOf(pdo_pool_counters, reprepares)},
	{"retries", XtOffsetOf(pdo_pool_counters, retries)},
	{"reused", XtOffsetOf(pdo_pool_counters, reused)},
	{"connections", XtOffsetOf(pdo_pool_counters, connections)},
	{"poolers", XtOffsetOf(pdo_pool_counters, poolers)},
};

static zend_ulong value_of(const counter *c)
{
	return *(const zend_ulong *) ((const char *) &PDO_POOL_G(counters) + c->offset);
}

static void connection_stats(zval *stats, const pdo_dbh_t *dbh)
{
	static const char *const routes[] = {"unknown", "direct", "pooled"};
	const pdo_pool_conn *conn;

	add_assoc_bool(stats, "cached", pdo_pool_adopted(dbh));
	if (pdo_pool_adopted(dbh)) {
		conn = pdo_pool_conn_of(dbh);
		add_assoc_long(stats, "capacity", conn->cache.capacity);
		add_assoc_long(stats, "named", conn->cache.named.count);
		add_assoc_long(stats, "seen", conn->cache.seen.count);
		add_assoc_long(stats, "to_deallocate", conn->cache.garbage_count);
		add_assoc_string(stats, "route", routes[conn->route]);
	}
}

PHP_FUNCTION(pdo_pool_stats)
{
	zend_class_entry *pdo = zend_hash_str_find_ptr(CG(class_table), "pdo", sizeof("pdo") - 1);
	zval *connection = NULL;
	size_t i;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_OBJECT_OF_CLASS_OR_NULL(connection, pdo)
	ZEND_PARSE_PARAMETERS_END();

	array_init(return_value);
	if (connection) {
		connection_stats(return_value, Z_PDO_DBH_P(connection));
		return;
	}
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		add_assoc_long(return_value, counters[i].name, (zend_long) value_of(&counters[i]));
	}
}

void pdo_pool_stats_info(void)
{
	char value[MAX_LENGTH_OF_LONG];
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		snprintf(value, sizeof(value), ZEND_ULONG_FMT, value_of(&counters[i]));
		php_info_print_table_row(2, counters[i].name, value);
	}
}

void pdo_pool_log(const char *format, ...)
{
	zend_string *message, *line;
	va_list args;

	if (!PDO_POOL_G(log)) {
		return;
	}
	va_start(args, format);
	message = zend_vstrpprintf(1024, format, args);
	va_end(args);
	line = zend_strpprintf(0, "pdo_pool: %s", ZSTR_VAL(message));
	php_log_err(ZSTR_VAL(line));
	zend_string_release(line);
	zend_string_release(message);
}
