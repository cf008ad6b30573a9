#include "layout.h"

#define PGSQL_ATTR_DISABLE_PREPARES PDO_ATTR_DRIVER_SPECIFIC

static bool refuse(void)
{
	if (!PDO_POOL_G(refused)) {
		PDO_POOL_G(refused) = true;
		php_error_docref(NULL, E_WARNING,
			"pdo_pool does not know this pdo_pgsql (PHP %s) and leaves its connections as they are; use a pdo_pool "
			"that is built for it, or set pdo_pool.stmt_cache_size=0", PHP_VERSION);
	}
	return false;
}

/* Whether setting `attr` through the driver's own method moves the byte that we take for it. */
static bool attribute_is_at(pdo_dbh_t *dbh, zend_long attr, const bool *where)
{
	bool before = *where, moved;
	zval value;

	ZVAL_BOOL(&value, !before);
	if (!dbh->methods->set_attribute || !dbh->methods->set_attribute(dbh, attr, &value)) {
		return false;
	}
	moved = *(const volatile bool *) where == !before;
	ZVAL_BOOL(&value, before);
	dbh->methods->set_attribute(dbh, attr, &value);
	return moved && *(const volatile bool *) where == before;
}

bool pdo_pool_handle_known(pdo_dbh_t *dbh)
{
	pdo_pool_pg_handle *H = pdo_pool_handle(dbh);

	if (!PDO_POOL_LAYOUT_SUPPORTED || !H->server
			|| !attribute_is_at(dbh, PDO_ATTR_EMULATE_PREPARES, &H->emulate_prepares)
			|| !attribute_is_at(dbh, PGSQL_ATTR_DISABLE_PREPARES, &H->disable_prepares)) {
		return refuse();
	}
	return true;
}

bool pdo_pool_stmt_known(pdo_stmt_t *stmt, zend_string *sql)
{
	const pdo_pool_pg_stmt *S = stmt->driver_data;

	if (S->handle != pdo_pool_handle(stmt->dbh) || S->result || S->columns || S->param_values || S->param_types
			|| S->current_row || S->is_prepared || !S->query) {
		return refuse();
	}
	/* A query without placeholders is kept as it is. */
	if (!stmt->bound_param_map && S->query != sql && !zend_string_equals(S->query, sql)
			&& !strchr(ZSTR_VAL(sql), '?')) {
		return refuse();
	}
	return true;
}
