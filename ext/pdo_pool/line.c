/* Who gets which connection, and when. */

#include "pool.h"
#include "wait.h"

static void line_up(pdo_pool *pool, pdo_pool_waiter *waiter)
{
	waiter->previous = pool->last;
	if (pool->last) {
		pool->last->next = waiter;
	} else {
		pool->first = waiter;
	}
	pool->last = waiter;
}

static void step_out(pdo_pool *pool, pdo_pool_waiter *waiter)
{
	if (waiter->previous) {
		waiter->previous->next = waiter->next;
	} else {
		pool->first = waiter->next;
	}
	if (waiter->next) {
		waiter->next->previous = waiter->previous;
	} else {
		pool->last = waiter->previous;
	}
}

/* To whoever is first in line; a slot without a connection is as good, as it may be connected. */
static void hand_on(pdo_pool_slot *slot)
{
	pdo_pool *pool = slot->pool;
	pdo_pool_waiter *first = pool->first;

	slot->taken = first != NULL;
	if (first) {
		step_out(pool, first);
		first->slot = slot;
		pdo_pool_wake(first->sleeper);
	}
}

void pdo_pool_release(pdo_pool_seat *seat)
{
	pdo_pool_slot *slot = seat->slot;
	pdo_pool *pool = slot->pool;

	seat->slot = NULL;
	pdo_pool_slot_clean(slot, seat->in_transaction);
	seat->in_transaction = false;
	if (pool->current == seat) {
		pdo_pool_seat_show(pool);
	}
	hand_on(slot);
}

static uint32_t count_open(const pdo_pool *pool)
{
	uint32_t i, open = 0;

	for (i = 0; i < pool->options.max; i++) {
		open += pool->slots[i].server != NULL;
	}
	return open;
}

static void close_idle(pdo_pool *pool)
{
	double limit = pdo_pool_now() - pool->options.idle_timeout;
	uint32_t open, i;

	if (!pool->options.idle_timeout) {
		return;
	}
	open = count_open(pool);
	for (i = 0; i < pool->options.max && open > pool->options.min; i++) {
		pdo_pool_slot *slot = &pool->slots[i];

		if (slot->server && !slot->taken && slot->used < limit) {
			pdo_pool_slot_close(slot);
			open--;
		}
	}
}

/* The last one again, else the one used most recently, so that others may grow old; else one to be connected. */
static pdo_pool_slot *find_free(const pdo_pool *pool, pdo_pool_slot *last)
{
	pdo_pool_slot *best = NULL;
	uint32_t i;

	if (last && !last->taken && last->server) {
		return last;
	}
	for (i = 0; i < pool->options.max; i++) {
		pdo_pool_slot *slot = &pool->slots[i];

		if (!slot->taken && (!best || (slot->server && (!best->server || slot->used > best->used)))) {
			best = slot;
		}
	}
	return best;
}

/* From the fiber that did not need it for longest. */
static pdo_pool_slot *reclaim(pdo_pool *pool)
{
	pdo_pool_seat *seat, *idlest = NULL;
	pdo_pool_slot *slot;

	ZEND_HASH_FOREACH_PTR(&pool->seats, seat) {
		if (pdo_pool_reclaimable(seat) && (!idlest || seat->slot->used < idlest->slot->used)) {
			idlest = seat;
		}
	} ZEND_HASH_FOREACH_END();
	if (!idlest) {
		return NULL;
	}
	slot = idlest->slot;
	pdo_pool_release(idlest);
	return slot;
}

static void refuse_to_wait(const pdo_pool *pool)
{
	pdo_pool_throw("HYT00", "all %u connections of the pool are held by other fibers, and nobody can be switched to "
		"here: run the fibers by pdo_pool_run() or by Revolt's event loop, or raise PDO::ATTR_POOL_MAX",
		pool->options.max);
}

static pdo_pool_slot *wait_in_line(pdo_pool *pool)
{
	pdo_pool_waiter waiter = {0};
	double start = pdo_pool_now();
	pdo_pool_outcome outcome;

	if (pdo_pool_scheduler_here(true) == PDO_POOL_BY_BLOCKING) {
		pool->counters.timeouts++;
		refuse_to_wait(pool);
		return NULL;
	}
	pool->counters.waits++;
	line_up(pool, &waiter);
	outcome = pool->options.acquire_timeout
		? pdo_pool_sleep(&waiter.sleeper, start + pool->options.acquire_timeout) : PDO_POOL_TIMED_OUT;
	pool->counters.wait_time += pdo_pool_now() - start;
	if (!waiter.slot) {
		step_out(pool, &waiter);
	}
	if (outcome == PDO_POOL_INTERRUPTED) {
		if (waiter.slot) {
			hand_on(waiter.slot);
		}
		return NULL;
	}
	if (!waiter.slot) {
		pool->counters.timeouts++;
		pdo_pool_throw("HYT00", "no connection of the pool became free within %.3g s: all %u are in transactions or "
			"calls of other fibers; end those sooner, or raise PDO::ATTR_POOL_MAX or PDO::ATTR_POOL_ACQUIRE_TIMEOUT",
			pool->options.acquire_timeout, pool->options.max);
	}
	return waiter.slot;
}

static pdo_pool_slot *acquire(pdo_pool *pool, const pdo_pool_seat *seat)
{
	pdo_pool_slot *slot = NULL;

	if (!pool->first) {
		close_idle(pool);
		slot = find_free(pool, seat->last);
		if (!slot) {
			slot = reclaim(pool);
		}
	}
	if (slot) {
		slot->taken = true;
		return slot;
	}
	return wait_in_line(pool);
}

pdo_pool_slot *pdo_pool_enter(pdo_pool *pool)
{
	pdo_pool_seat *seat = pdo_pool_seat_of_current(pool);
	bool fresh;

	pdo_pool_free_ended(pool);
	if (seat->slot && (seat->calls || seat->in_transaction)) {
		seat->calls++;
		return seat->slot;
	}
	if (seat->slot && pool->first && pdo_pool_scheduler_here(true) != PDO_POOL_BY_BLOCKING) {
		pdo_pool_release(seat); /* others come first */
	}
	fresh = !seat->slot;
	if (fresh) {
		pdo_pool_slot *slot = acquire(pool, seat);

		if (!slot) {
			return NULL;
		}
		seat->slot = seat->last = slot;
	}
	seat->calls++;
	pdo_pool_seat_show(pool);
	if (!pdo_pool_slot_prepare(seat->slot, fresh)) {
		seat->calls--;
		pdo_pool_release(seat);
		return NULL;
	}
	pdo_pool_seat_show(pool);
	return seat->slot;
}

void pdo_pool_leave(pdo_pool *pool)
{
	pdo_pool_seat *seat = pool->current;
	pdo_pool_slot *slot = seat->slot;
	PGTransactionStatusType status;

	if (--seat->calls) {
		return;
	}
	slot->used = pdo_pool_now();
	if (slot->broken || PQstatus(slot->server) != CONNECTION_OK) {
		return; /* what was open is lost, which the application has to hear until it gives it up */
	}
	status = PQtransactionStatus(slot->server);
	if (status == PQTRANS_ACTIVE) {
		slot->broken = true; /* COPY, by other means than the methods for it */
		return;
	}
	if (slot->lobs && status == PQTRANS_IDLE) {
		pdo_pool_slot_close_lobs(slot);
	}
	seat->in_transaction = status != PQTRANS_IDLE;
}
