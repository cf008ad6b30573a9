/* What a fiber has of a pool, exchanged whenever PHP switches fibers. */

#include "pool.h"
#include "compat.h"
#include "zend_observer.h"

static pdo_pool_seat *find(const pdo_pool *pool, const zend_fiber_context *fiber)
{
	return zend_hash_index_find_ptr(&pool->seats, (zend_ulong) (uintptr_t) fiber);
}

void pdo_pool_seat_show(pdo_pool *pool)
{
	const pdo_pool_slot *slot = pool->current ? pool->current->slot : NULL;

	if (slot && slot->server) {
		pool->handle->server = slot->server;
		pool->dbh->methods = &slot->conn->methods;
	} else {
		pool->handle->server = pool->nowhere;
		pool->dbh->methods = &pool->vacant.methods;
	}
}

/* Takes what the running fiber leaves behind. */
static void take(pdo_pool_seat *seat, const pdo_pool *pool)
{
	const pdo_dbh_t *dbh = pool->dbh;

	memcpy(seat->error_code, dbh->error_code, sizeof(seat->error_code));
	seat->in_txn = dbh->in_txn;
	seat->query_stmt = dbh->query_stmt;
	seat->error = pool->handle->error;
	if (seat->executing) {
		seat->executing->dbh = NULL;
	}
}

/* Gives the running fiber what it had. */
static void give(const pdo_pool_seat *seat, pdo_pool *pool)
{
	pdo_dbh_t *dbh = pool->dbh;

	memcpy(dbh->error_code, seat->error_code, sizeof(seat->error_code));
	dbh->in_txn = seat->in_txn;
	pdo_pool_set_query_stmt(dbh, seat->query_stmt);
	pool->handle->error = seat->error;
	if (seat->executing) {
		seat->executing->dbh = dbh;
	}
}

static void sit_down(pdo_pool *pool, pdo_pool_seat *seat)
{
	static const pdo_pool_seat nobody;

	pool->current = seat;
	give(seat ? seat : &nobody, pool);
	pdo_pool_seat_show(pool);
}

pdo_pool_seat *pdo_pool_seat_of_current(pdo_pool *pool)
{
	pdo_pool_seat *seat = pool->current;

	if (!seat) {
		seat = ecalloc(1, sizeof(*seat));
		seat->fiber = EG(current_fiber_context);
		seat->number = ++pool->seated;
		zend_hash_index_add_new_ptr(&pool->seats, (zend_ulong) (uintptr_t) seat->fiber, seat);
		take(seat, pool);
		pool->current = seat;
	}
	return seat;
}

static void free_seat(pdo_pool_seat *seat)
{
	if (seat->query_stmt) {
		OBJ_RELEASE(&seat->query_stmt->std);
	}
	if (seat->error.errmsg) {
		efree(seat->error.errmsg);
	}
	efree(seat);
}

void pdo_pool_free_ended(pdo_pool *pool)
{
	pdo_pool_seat *seat;

	while ((seat = pool->ended) != NULL) {
		pool->ended = seat->next;
		free_seat(seat);
	}
}

void pdo_pool_free_seats(pdo_pool *pool)
{
	pdo_pool_seat *seat;

	pdo_pool_free_ended(pool);
	ZEND_HASH_FOREACH_PTR(&pool->seats, seat) {
		if (seat != pool->current) { /* whose memories are PDO's and the driver's at the moment */
			free_seat(seat);
		} else {
			efree(seat);
		}
	} ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&pool->seats);
	pool->current = NULL;
}

/* PHP code must not run now. */
static void end(pdo_pool *pool, pdo_pool_seat *seat)
{
	zend_hash_index_del(&pool->seats, (zend_ulong) (uintptr_t) seat->fiber);
	pdo_pool_quit_line(pool, seat); /* a fatal error ends fibers where they stand */
	if (seat->slot) {
		pdo_pool_release(seat);
	}
	seat->next = pool->ended;
	pool->ended = seat;
}

static void on_switch(zend_fiber_context *from, zend_fiber_context *to)
{
	pdo_pool *pool;

	for (pool = PDO_POOL_G(pools); pool; pool = pool->next) {
		pdo_pool_seat *seat = pool->current, *next = find(pool, to);

		if (seat == next) {
			continue; /* neither has one */
		}
		if (seat) {
			take(seat, pool);
			sit_down(pool, NULL);
			if (pool->first && pdo_pool_reclaimable(seat)) {
				pdo_pool_release(seat);
			}
		}
		sit_down(pool, next);
	}
}

/* A fiber has ended. */
static void on_destroy(zend_fiber_context *fiber)
{
	pdo_pool *pool;

	for (pool = PDO_POOL_G(pools); pool; pool = pool->next) {
		pdo_pool_seat *seat = find(pool, fiber);

		if (seat && seat != pool->current) {
			end(pool, seat);
		}
	}
}

void pdo_pool_watch_fibers(void)
{
	zend_observer_fiber_switch_register(on_switch);
	zend_observer_fiber_destroy_register(on_destroy);
}
