/* Behind a pooler that hands each transaction to another server process, names must not be used: they may be unknown
 * there, or stand for something else. */

#include "dbh.h"
#include "wire.h"

/* Linux and BSD never give a higher one; PgBouncer and others answer with 32 random bits. */
#define PROCESS_ID_MAX (1 << 22)

static bool server_says(pdo_pool_conn *conn, PGconn *server, int backend)
{
	PGresult *result = pdo_pool_wire_simple(conn, server, "SELECT pg_catalog.pg_backend_pid()");
	bool same = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1
		&& atoi(PQgetvalue(result, 0, 0)) == backend;

	PQclear(result);
	return same;
}

bool pdo_pool_behind_pooler(pdo_pool_conn *conn, PGconn *server)
{
	int backend;

	if (PDO_POOL_G(pooler) != PDO_POOL_POOLER_AUTO) {
		return PDO_POOL_G(pooler) == PDO_POOL_POOLER_ON;
	}
	if (conn->route == PDO_POOL_ROUTE_UNKNOWN) {
		/* What the one who answered the connecting claims to be, and who answers now. */
		backend = PQbackendPID(server);
		conn->route = backend > 0 && backend <= PROCESS_ID_MAX && server_says(conn, server, backend)
			? PDO_POOL_ROUTE_DIRECT : PDO_POOL_ROUTE_POOLED;
		if (conn->route == PDO_POOL_ROUTE_POOLED) {
			PDO_POOL_COUNT(poolers);
		}
	}
	return conn->route == PDO_POOL_ROUTE_POOLED;
}
