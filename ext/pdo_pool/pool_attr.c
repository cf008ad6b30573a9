#include "pool.h"

/* No driver counts this far. */
enum {
	ATTR_POOL_ENABLED = 0x50000000,
	ATTR_POOL_MIN,
	ATTR_POOL_MAX,
	ATTR_POOL_STMT_CACHE_SIZE,
	ATTR_POOL_ACQUIRE_TIMEOUT,
	ATTR_POOL_IDLE_TIMEOUT,
	ATTR_POOL_MAX_LIFETIME,
	ATTR_POOL_HEALTH_CHECK,
	ATTR_POOL_RESET
};

#define ATTRIBUTE(name) {#name, sizeof(#name) - 1, name}

static const struct {
	const char *name;
	size_t length;
	zend_long number;
} attributes[] = {
	ATTRIBUTE(ATTR_POOL_ENABLED),
	ATTRIBUTE(ATTR_POOL_MIN),
	ATTRIBUTE(ATTR_POOL_MAX),
	ATTRIBUTE(ATTR_POOL_STMT_CACHE_SIZE),
	ATTRIBUTE(ATTR_POOL_ACQUIRE_TIMEOUT),
	ATTRIBUTE(ATTR_POOL_IDLE_TIMEOUT),
	ATTRIBUTE(ATTR_POOL_MAX_LIFETIME),
	ATTRIBUTE(ATTR_POOL_HEALTH_CHECK),
	ATTRIBUTE(ATTR_POOL_RESET),
};

void pdo_pool_declare_attributes(void)
{
	zend_class_entry *pdo = php_pdo_get_dbh_ce(), *ce;
	size_t i;

	/* Subclasses of drivers have copied what they inherit. */
	ZEND_HASH_FOREACH_PTR(CG(class_table), ce) {
		if (ce->type != ZEND_INTERNAL_CLASS || !instanceof_function(ce, pdo)) {
			continue;
		}
		for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
			zend_declare_class_constant_long(ce, attributes[i].name, attributes[i].length, attributes[i].number);
		}
	} ZEND_HASH_FOREACH_END();
}

static const zval *option(const HashTable *options, zend_long number)
{
	const zval *value = zend_hash_index_find(options, number);

	if (value && Z_TYPE_P(value) == IS_REFERENCE) {
		value = Z_REFVAL_P(value);
	}
	return value;
}

static const char *name_of(zend_long number)
{
	return attributes[number - ATTR_POOL_ENABLED].name;
}

static zend_long count(const HashTable *options, zend_long number, zend_long least, zend_long most, zend_long otherwise)
{
	const zval *value = option(options, number);

	if (!value || EG(exception)) {
		return otherwise;
	}
	if (Z_TYPE_P(value) != IS_LONG || Z_LVAL_P(value) < least || Z_LVAL_P(value) > most) {
		zend_value_error("PDO::%s must be an int from " ZEND_LONG_FMT " to " ZEND_LONG_FMT,
			name_of(number), least, most);
		return otherwise;
	}
	return Z_LVAL_P(value);
}

static double seconds(const HashTable *options, zend_long number, double otherwise)
{
	const zval *value = option(options, number);
	double given;

	if (!value || EG(exception)) {
		return otherwise;
	}
	given = Z_TYPE_P(value) == IS_LONG ? (double) Z_LVAL_P(value)
		: Z_TYPE_P(value) == IS_DOUBLE ? Z_DVAL_P(value) : -1;
	if (!(given >= 0 && given <= 1e9)) {
		zend_value_error("PDO::%s must be a number of seconds, 0 or more", name_of(number));
		return otherwise;
	}
	return given;
}

static bool flag(const HashTable *options, zend_long number, bool otherwise)
{
	const zval *value = option(options, number);

	return value ? zend_is_true((zval *) value) : otherwise;
}

bool pdo_pool_read_options(const HashTable *options, pdo_pool_options *into)
{
	if (!flag(options, ATTR_POOL_ENABLED, false)) {
		return false;
	}
	into->max = (uint32_t) count(options, ATTR_POOL_MAX, 1, PDO_POOL_MAX_CONNECTIONS, 10);
	into->min = (uint32_t) count(options, ATTR_POOL_MIN, 0, into->max, 0);
	into->capacity = (uint32_t) count(options, ATTR_POOL_STMT_CACHE_SIZE, 0, 65536,
		MIN(MAX(PDO_POOL_G(stmt_cache_size), 0), 65536));
	into->acquire_timeout = seconds(options, ATTR_POOL_ACQUIRE_TIMEOUT, 30);
	into->idle_timeout = seconds(options, ATTR_POOL_IDLE_TIMEOUT, 0);
	into->max_lifetime = seconds(options, ATTR_POOL_MAX_LIFETIME, 0);
	into->health_check = flag(options, ATTR_POOL_HEALTH_CHECK, true);
	into->reset = flag(options, ATTR_POOL_RESET, false);
	return !EG(exception);
}

bool pdo_pool_get_attribute(const pdo_pool *pool, zend_long attribute, zval *value)
{
	const pdo_pool_options *options = &pool->options;

	switch (attribute) {
		case ATTR_POOL_ENABLED:
			ZVAL_TRUE(value);
			return true;
		case ATTR_POOL_MIN:
			ZVAL_LONG(value, options->min);
			return true;
		case ATTR_POOL_MAX:
			ZVAL_LONG(value, options->max);
			return true;
		case ATTR_POOL_STMT_CACHE_SIZE:
			ZVAL_LONG(value, options->capacity);
			return true;
		case ATTR_POOL_ACQUIRE_TIMEOUT:
			ZVAL_DOUBLE(value, options->acquire_timeout);
			return true;
		case ATTR_POOL_IDLE_TIMEOUT:
			ZVAL_DOUBLE(value, options->idle_timeout);
			return true;
		case ATTR_POOL_MAX_LIFETIME:
			ZVAL_DOUBLE(value, options->max_lifetime);
			return true;
		case ATTR_POOL_HEALTH_CHECK:
			ZVAL_BOOL(value, options->health_check);
			return true;
		case ATTR_POOL_RESET:
			ZVAL_BOOL(value, options->reset);
			return true;
		default:
			return false;
	}
}
