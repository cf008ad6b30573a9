/* The only place where a statement waits for the server. */

#ifndef PDO_POOL_WIRE_H
#define PDO_POOL_WIRE_H

#include "async.h"

/* `count`: how many parameters are bound. */
static zend_always_inline PGresult *pdo_pool_wire_execute_unnamed(
	pdo_pool_conn *conn, const pdo_pool_pg_stmt *S, uint32_t count)
{
	PGconn *server = S->handle->server;

	if (UNEXPECTED(conn->slot != NULL)) {
		pdo_pool_async_start(server);
		return pdo_pool_async_finish(conn->slot, PQsendQueryParams(server, ZSTR_VAL(S->query), count, S->param_types,
			(const char *const *) S->param_values, S->param_lengths, S->param_formats, 0));
	}
	return PQexecParams(server, ZSTR_VAL(S->query), count, S->param_types,
		(const char *const *) S->param_values, S->param_lengths, S->param_formats, 0);
}

static zend_always_inline PGresult *pdo_pool_wire_prepare(
	pdo_pool_conn *conn, const pdo_pool_pg_stmt *S, const char *name, uint32_t count)
{
	PGconn *server = S->handle->server;

	if (UNEXPECTED(conn->slot != NULL)) {
		pdo_pool_async_start(server);
		return pdo_pool_async_finish(conn->slot,
			PQsendPrepare(server, name, ZSTR_VAL(S->query), count, S->param_types));
	}
	return PQprepare(server, name, ZSTR_VAL(S->query), count, S->param_types);
}

static zend_always_inline PGresult *pdo_pool_wire_execute_named(
	pdo_pool_conn *conn, const pdo_pool_pg_stmt *S, const char *name, uint32_t count)
{
	PGconn *server = S->handle->server;

	if (UNEXPECTED(conn->slot != NULL)) {
		pdo_pool_async_start(server);
		return pdo_pool_async_finish(conn->slot, PQsendQueryPrepared(server, name, count,
			(const char *const *) S->param_values, S->param_lengths, S->param_formats, 0));
	}
	return PQexecPrepared(server, name, count, (const char *const *) S->param_values, S->param_lengths,
		S->param_formats, 0);
}

static zend_always_inline PGresult *pdo_pool_wire_simple(pdo_pool_conn *conn, PGconn *server, const char *sql)
{
	if (UNEXPECTED(conn->slot != NULL)) {
		pdo_pool_async_start(server);
		return pdo_pool_async_finish(conn->slot, PQsendQuery(server, sql));
	}
	return PQexec(server, sql);
}

#endif
