/* The only place where a statement waits for the server. */

#ifndef PDO_POOL_WIRE_H
#define PDO_POOL_WIRE_H

#include "dbh.h"

/* `count`: how many parameters are bound. */
static zend_always_inline PGresult *pdo_pool_wire_execute_unnamed(
	pdo_pool_conn *conn, const pdo_pool_pg_stmt *S, int count)
{
	(void) conn;
	return PQexecParams(S->handle->server, ZSTR_VAL(S->query), count, S->param_types,
		(const char *const *) S->param_values, S->param_lengths, S->param_formats, 0);
}

static zend_always_inline PGresult *pdo_pool_wire_prepare(
	pdo_pool_conn *conn, const pdo_pool_pg_stmt *S, const char *name, int count)
{
	(void) conn;
	return PQprepare(S->handle->server, name, ZSTR_VAL(S->query), count, S->param_types);
}

static zend_always_inline PGresult *pdo_pool_wire_execute_named(
	pdo_pool_conn *conn, const pdo_pool_pg_stmt *S, const char *name, int count)
{
	(void) conn;
	return PQexecPrepared(S->handle->server, name, count, (const char *const *) S->param_values, S->param_lengths,
		S->param_formats, 0);
}

static zend_always_inline PGresult *pdo_pool_wire_simple(pdo_pool_conn *conn, PGconn *server, const char *sql)
{
	(void) conn;
	return PQexec(server, sql);
}

#endif
