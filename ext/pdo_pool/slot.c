#include "wire.h"
#include "main/php_network.h"
#include "session.h"
#include "sql.h"

bool pdo_pool_slot_broken(const pdo_pool_slot *slot)
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

void pdo_pool_slot_connected(pdo_pool_slot *slot, PGconn *server)
{
	pdo_pool *pool = slot->pool;

	slot->conn = pdo_pool_conn_create(pool->dbh, pool->vacant.driver, pool->options.capacity);
	slot->conn->pool = pool;
	slot->conn->slot = slot;
	pdo_pool_take_methods(slot->conn);
	slot->server = server;
	slot->broken = slot->cleaning = slot->lobs = false;
	slot->opened = slot->used = pdo_pool_now();
	slot->tenure = ++pool->tenures;
	pool->counters.opened++;
}

void pdo_pool_slot_close(pdo_pool_slot *slot)
{
	PGconn *server = slot->server;
	pdo_pool_conn *conn = slot->conn;

	PQfinish(slot->connecting);
	slot->connecting = NULL;
	if (!server) {
		return;
	}
	if (pdo_pool_slot_broken(slot)) {
		slot->pool->counters.broken++;
	}
	pdo_pool_slot_close_lobs(slot);
	slot->server = NULL;
	slot->conn = NULL;
	pdo_pool_seat_show(slot->pool);
	PQfinish(server);
	pdo_pool_conn_free(conn);
}

static const char *what_cleans(const pdo_pool_slot *slot, bool in_transaction)
{
	if (slot->pool->options.reset) {
		return in_transaction ? "ROLLBACK; " PDO_POOL_SESSION_CLEAN : PDO_POOL_SESSION_CLEAN;
	}
	return in_transaction ? "ROLLBACK" : NULL;
}

void pdo_pool_slot_clean(pdo_pool_slot *slot, bool in_transaction)
{
	const char *sql = what_cleans(slot, in_transaction);
	PGTransactionStatusType status;

	slot->pool->counters.rollbacks += in_transaction;
	if (!slot->server || !sql) {
		return;
	}
	status = PQtransactionStatus(slot->server);
	if (slot->broken || slot->cleaning || (in_transaction ? status != PQTRANS_INTRANS && status != PQTRANS_INERROR
			: status != PQTRANS_IDLE)) {
		slot->broken = true;
		return;
	}
	slot->pool->counters.resets += slot->pool->options.reset;
	pdo_pool_async_start(slot->server);
	if (PQsendQuery(slot->server, sql)) {
		slot->cleaning = true;
	} else {
		slot->broken = true;
	}
}

/* What the server told the last user and nobody took. */
static void drop_notifications(PGconn *server)
{
	PGnotify *notification;

	while ((notification = PQnotifies(server)) != NULL) {
		PQfreemem(notification);
	}
}

static void finish_cleaning(pdo_pool_slot *slot)
{
	PGresult *result = pdo_pool_async_finish(slot, 1);
	bool clean = PQresultStatus(result) == PGRES_COMMAND_OK;

	slot->cleaning = false;
	PQclear(result);
	if (EG(exception) || !clean || PQtransactionStatus(slot->server) != PQTRANS_IDLE) {
		slot->broken = true;
		return;
	}
	pdo_pool_slot_close_lobs(slot);
	pdo_pool_note_effects(slot->conn, slot->server, PDO_POOL_SQL_ENDS);
	if (slot->pool->options.reset) {
		pdo_pool_note_effects(slot->conn, slot->server, PDO_POOL_SESSION_EFFECTS);
		drop_notifications(slot->server);
	}
}

bool pdo_pool_slot_prepare(pdo_pool_slot *slot, bool fresh)
{
	PGconn *server;

	if (slot->server && slot->cleaning && !pdo_pool_slot_broken(slot)) {
		finish_cleaning(slot);
		if (EG(exception)) {
			pdo_pool_slot_close(slot);
			return false;
		}
	}
	if (slot->server && (pdo_pool_slot_broken(slot) || is_old(slot)
			|| (fresh && slot->pool->options.health_check && !is_silent(slot->server)))) {
		pdo_pool_slot_close(slot);
	}
	if (slot->server) {
		return true;
	}
	server = pdo_pool_async_connect(slot);
	if (server) {
		pdo_pool_slot_connected(slot, server);
	}
	return server != NULL;
}
