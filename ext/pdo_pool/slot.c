#include "wire.h"
#include "ext/standard/file.h"
#include "main/php_network.h"
#include "sql.h"

static bool is_broken(const pdo_pool_slot *slot)
{
	return slot->broken || PQstatus(slot->server) != CONNECTION_OK;
}

static bool is_old(const pdo_pool_slot *slot)
{
	double most = slot->pool->options.max_lifetime;

	return most && pdo_pool_now() - slot->opened > most;
}

/* What a server says unasked is mostly its last word. */
static bool is_silent(PGconn *server)
{
	int tries;

	for (tries = 0; tries < 4; tries++) {
		if (php_pollfd_for_ms(PQsocket(server), POLLIN, 0) == 0) {
			return true;
		}
		if (!PQconsumeInput(server) || PQstatus(server) != CONNECTION_OK) {
			return false;
		}
	}
	return false;
}

/* In the driver's struct of the same name. */
typedef struct {
	zval dbh;
	PGconn *server;
} lob;

void pdo_pool_slot_close_lobs(pdo_pool_slot *slot)
{
	HashTable found;
	zend_resource *resource;

	if (!slot->lobs) {
		return;
	}
	slot->lobs = false;
	zend_hash_init(&found, 8, NULL, NULL, 0);
	ZEND_HASH_FOREACH_PTR(&EG(regular_list), resource) {
		const php_stream *stream = resource->ptr;

		if (resource->type == php_file_le_stream() && !strcmp(stream->ops->label, "pdo_pgsql lob stream")
				&& ((const lob *) stream->abstract)->server == slot->server) {
			GC_ADDREF(resource);
			zend_hash_next_index_insert_ptr(&found, resource);
		}
	} ZEND_HASH_FOREACH_END();
	ZEND_HASH_FOREACH_PTR(&found, resource) {
		zend_list_close(resource);
		zend_list_delete(resource);
	} ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&found);
}

void pdo_pool_slot_connected(pdo_pool_slot *slot, PGconn *server)
{
	pdo_pool *pool = slot->pool;

	slot->conn = pdo_pool_conn_create(pool->dbh, pool->vacant.driver, pool->options.capacity);
	slot->conn->pool = pool;
	slot->conn->slot = slot;
	pdo_pool_take_methods(slot->conn);
	slot->server = server;
	slot->broken = slot->rolling_back = slot->lobs = false;
	slot->opened = slot->used = pdo_pool_now();
	pool->counters.opened++;
}

void pdo_pool_slot_close(pdo_pool_slot *slot)
{
	PGconn *server = slot->server;
	pdo_pool_conn *conn = slot->conn;

	if (!server) {
		return;
	}
	if (is_broken(slot)) {
		slot->pool->counters.broken++;
	}
	pdo_pool_slot_close_lobs(slot);
	slot->server = NULL;
	slot->conn = NULL;
	pdo_pool_seat_show(slot->pool);
	PQfinish(server);
	pdo_pool_conn_free(conn);
}

void pdo_pool_slot_roll_back(pdo_pool_slot *slot)
{
	PGTransactionStatusType status = PQtransactionStatus(slot->server);

	slot->pool->counters.rollbacks++;
	if (slot->broken || (status != PQTRANS_INTRANS && status != PQTRANS_INERROR)) {
		slot->broken = true;
		return;
	}
	pdo_pool_async_start(slot->server);
	if (PQsendQuery(slot->server, "ROLLBACK")) {
		slot->rolling_back = true;
	} else {
		slot->broken = true;
	}
}

static void finish_rollback(pdo_pool_slot *slot)
{
	slot->rolling_back = false;
	PQclear(pdo_pool_async_finish(slot, 1));
	if (EG(exception) || PQtransactionStatus(slot->server) != PQTRANS_IDLE) {
		slot->broken = true;
		return;
	}
	pdo_pool_slot_close_lobs(slot);
	pdo_pool_note_effects(slot->conn, slot->server, PDO_POOL_SQL_ENDS);
}

bool pdo_pool_slot_prepare(pdo_pool_slot *slot, bool fresh)
{
	PGconn *server;

	if (slot->server && slot->rolling_back && !is_broken(slot)) {
		finish_rollback(slot);
		if (EG(exception)) {
			pdo_pool_slot_close(slot);
			return false;
		}
	}
	if (slot->server && (is_broken(slot) || is_old(slot)
			|| (fresh && slot->pool->options.health_check && !is_silent(slot->server)))) {
		pdo_pool_slot_close(slot);
	}
	if (slot->server) {
		return true;
	}
	server = pdo_pool_async_connect(slot->pool->conninfo);
	if (server) {
		pdo_pool_slot_connected(slot, server);
	}
	return server != NULL;
}
