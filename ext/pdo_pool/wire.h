/* The only place where a statement waits for the server. */

#ifndef PDO_POOL_WIRE_H
#define PDO_POOL_WIRE_H

#include "dbh.h"

typedef struct {
	int count;
	const Oid *types;
	char **values;
	const int *lengths;
	const int *formats;
} pdo_pool_params;

static zend_always_inline PGresult *pdo_pool_wire_execute_unnamed(
	pdo_pool_conn *conn, PGconn *server, const char *sql, const pdo_pool_params *params)
{
	(void) conn;
	return PQexecParams(server, sql, params->count, params->types, (const char *const *) params->values,
		params->lengths, params->formats, 0);
}

static zend_always_inline PGresult *pdo_pool_wire_prepare(
	pdo_pool_conn *conn, PGconn *server, const char *name, const char *sql, const pdo_pool_params *params)
{
	(void) conn;
	return PQprepare(server, name, sql, params->count, params->types);
}

static zend_always_inline PGresult *pdo_pool_wire_execute_named(
	pdo_pool_conn *conn, PGconn *server, const char *name, const pdo_pool_params *params)
{
	(void) conn;
	return PQexecPrepared(server, name, params->count, (const char *const *) params->values, params->lengths,
		params->formats, 0);
}

static zend_always_inline PGresult *pdo_pool_wire_simple(pdo_pool_conn *conn, PGconn *server, const char *sql)
{
	(void) conn;
	return PQexec(server, sql);
}

#endif
