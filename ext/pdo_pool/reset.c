#include "reset.h"
#include "columns.h"
#include "dbh.h"

static bool is_driver(const pdo_dbh_t *dbh, const char *name)
{
	return dbh->driver && !strcmp(dbh->driver->driver_name, name);
}

bool pdo_pool_resettable(const pdo_dbh_t *dbh)
{
	return (pdo_pool_adopted(dbh) && pdo_pool_conn_of(dbh)->cache.capacity)
		|| is_driver(dbh, "mysql") || is_driver(dbh, "sqlite");
}

/* pdo_pgsql's that take no name. */
static bool reset_nameless(pdo_stmt_t *stmt)
{
	pdo_pool_pg_stmt *S = stmt->driver_data;

	if (S->name || S->cursor_name || pdo_pool_unbuffered(S)) {
		return false;
	}
	if (S->result) {
		PQclear(S->result);
		S->result = NULL;
	}
	pdo_pool_columns_forget(stmt, S);
	pdo_pool_forget_values(stmt, S);
	return true;
}

static uint32_t placeholders_at_most(const zend_string *sql)
{
	uint32_t count = 0;
	const char *at;

	for (at = ZSTR_VAL(sql); *at; at++) {
		count += *at == '?' || *at == ':' || *at == '@' || *at == '$';
	}
	return count;
}

/* The other drivers keep bound values beside PDO's. They take NULL instead, for parameters that are bound. */
static bool unbind(pdo_stmt_t *stmt)
{
	struct pdo_bound_param_data *param;
	enum pdo_param_type type;
	zval value;
	bool done;

	if (!stmt->bound_params) {
		return true;
	}
	ZEND_HASH_FOREACH_PTR(stmt->bound_params, param) {
		ZVAL_COPY_VALUE(&value, &param->parameter);
		type = param->param_type;
		ZVAL_NULL(&param->parameter);
		param->param_type = PDO_PARAM_NULL;
		done = stmt->methods->param_hook(stmt, param, PDO_PARAM_EVT_EXEC_PRE);
		ZVAL_COPY_VALUE(&param->parameter, &value);
		param->param_type = type;
		if (!done) {
			return false;
		}
	} ZEND_HASH_FOREACH_END();
	return true;
}

static bool reset_foreign(pdo_stmt_t *stmt)
{
	/* SQLite takes the values of before for what is not bound: each has to be among those that we unbind. */
	if (is_driver(stmt->dbh, "sqlite") && placeholders_at_most(stmt->query_string)
			!= (stmt->bound_params ? zend_hash_num_elements(stmt->bound_params) : 0)) {
		return false;
	}
	return (!stmt->executed || stmt->methods->cursor_closer(stmt)) && unbind(stmt);
}

bool pdo_pool_reset_other(pdo_stmt_t *stmt)
{
	if (!(pdo_pool_adopted(stmt->dbh) ? reset_nameless(stmt) : reset_foreign(stmt))) {
		return false;
	}
	pdo_pool_columns_free(stmt);
	if (stmt->active_query_string) {
		zend_string_release(stmt->active_query_string);
		stmt->active_query_string = NULL;
	}
	/* Last, because values may have destructors. */
	if (stmt->bound_columns) {
		zend_array_destroy(stmt->bound_columns);
		stmt->bound_columns = NULL;
	}
	if (stmt->bound_params) {
		zend_array_destroy(stmt->bound_params);
		stmt->bound_params = NULL;
	}
	return true;
}
