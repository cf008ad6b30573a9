/* Names that were given up, which the server is told to forget. */

#include "dbh.h"
#include "wire.h"

static void deallocate(pdo_pool_conn *conn, PGconn *server)
{
	pdo_pool_cache *cache = &conn->cache;
	char sql[PDO_POOL_GARBAGE_MAX * (sizeof("DEALLOCATE ;") + PDO_POOL_NAME_SIZE)], *end = sql;
	uint32_t i;
	PGresult *result;

	for (i = 0; i < cache->garbage_count; i++) {
		end += snprintf(end, sizeof(sql) - (end - sql), "DEALLOCATE %s;", cache->garbage[i]);
	}
	result = pdo_pool_wire_simple(conn, server, sql);
	if (PQresultStatus(result) != PGRES_COMMAND_OK) {
		/* One that is gone kept the ones behind it. */
		for (i = 0; i < cache->garbage_count; i++) {
			snprintf(sql, sizeof(sql), "DEALLOCATE %s", cache->garbage[i]);
			PQclear(pdo_pool_wire_simple(conn, server, sql));
		}
	}
	PQclear(result);
	cache->garbage_count = 0;
}

void pdo_pool_collect_garbage(pdo_pool_conn *conn, PGconn *server)
{
	/* Never in a transaction: one name that is not there would end it. */
	if (conn->cache.garbage_count >= PDO_POOL_GARBAGE_BATCH && PQtransactionStatus(server) == PQTRANS_IDLE) {
		deallocate(conn, server);
	}
}
