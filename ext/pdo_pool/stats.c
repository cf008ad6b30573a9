#include "php_pdo_pool.h"
#include "pool.h"
#include "ext/standard/info.h"

#include <stdarg.h>

typedef struct {
	const char *name;
	size_t offset;
} counter;

static const counter counters[] = {
	{"hits", offsetof(pdo_pool_counters, hits)},
	{"misses", offsetof(pdo_pool_counters, misses)},
	{"unnamed", offsetof(pdo_pool_counters, unnamed)},
	{"evictions", offsetof(pdo_pool_counters, evictions)},
	{"reprepares", offsetof(pdo_pool_counters, reprepares)},
	{"retries", offsetof(pdo_pool_counters, retries)},
	{"reused", offsetof(pdo_pool_counters, reused)},
	{"connections", offsetof(pdo_pool_counters, connections)},
	{"poolers", offsetof(pdo_pool_counters, poolers)},
};

static zend_ulong value_of(const counter *c)
{
	return *(const zend_ulong *) ((const char *) &PDO_POOL_G(counters) + c->offset);
}

static void connection_stats(zval *stats, const pdo_dbh_t *dbh)
{
	static const char *const routes[] = {"unknown", "direct", "pooled"};
	const pdo_pool_conn *conn;

	pdo_pool *pool = pdo_pool_of(dbh);

	if (pool) {
		pdo_pool_pool_stats(stats, pool);
		return;
	}
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

void pdo_pool_pool_stats(zval *stats, pdo_pool *pool)
{
	uint32_t open = pdo_pool_count_open(pool), in_use = 0, waiting = 0;
	const pdo_pool_seat *seat;

	ZEND_HASH_FOREACH_PTR(&pool->seats, seat) {
		in_use += seat->slot && seat->slot->server && !pdo_pool_reclaimable(seat);
	} ZEND_HASH_FOREACH_END();
	for (seat = pool->first; seat; seat = seat->place.next) {
		waiting++;
	}
	add_assoc_bool(stats, "cached", pool->options.capacity != 0);
	add_assoc_long(stats, "capacity", pool->options.capacity);
	add_assoc_long(stats, "min", pool->options.min);
	add_assoc_long(stats, "max", pool->options.max);
	add_assoc_long(stats, "open", open);
	add_assoc_long(stats, "idle", open - in_use);
	add_assoc_long(stats, "in_use", in_use);
	add_assoc_long(stats, "waiting", waiting);
	add_assoc_long(stats, "opened", pool->counters.opened);
	add_assoc_long(stats, "broken", pool->counters.broken);
	add_assoc_long(stats, "waits", pool->counters.waits);
	add_assoc_double(stats, "wait_time", pool->counters.wait_time);
	add_assoc_long(stats, "timeouts", pool->counters.timeouts);
	add_assoc_long(stats, "rollbacks", pool->counters.rollbacks);
	add_assoc_long(stats, "resets", pool->counters.resets);
	add_assoc_long(stats, "blocking", pool->counters.blocking);
	add_assoc_double(stats, "blocking_time", pool->counters.blocking_time);
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
