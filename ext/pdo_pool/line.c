/* Who gets which connection, and when. */

#include "pool.h"

static void line_up(pdo_pool *pool, pdo_pool_seat *seat)
{
	pdo_pool_place *place = &seat->place;

	place->standing = true;
	place->next = NULL;
	place->previous = pool->last;
	if (pool->last) {
		pool->last->place.next = seat;
	} else {
		pool->first = seat;
	}
	pool->last = seat;
}

static void step_out(pdo_pool *pool, pdo_pool_seat *seat)
{
	pdo_pool_place *place = &seat->place;

	place->standing = false;
	if (place->previous) {
		place->previous->place.next = place->next;
	} else {
		pool->first = place->next;
	}
	if (place->next) {
		place->next->place.previous = place->previous;
	} else {
		pool->last = place->previous;
	}
}

/* A slot without a connection is as good, as it may be connected. */
void pdo_pool_hand_on(pdo_pool_slot *slot)
{
	pdo_pool *pool = slot->pool;
	pdo_pool_seat *first = pool->first;

	slot->taken = first != NULL;
	if (first) {
		step_out(pool, first);
		first->place.slot = slot;
		pdo_pool_wake(&first->place.sleeper);
	}
}

void pdo_pool_quit_line(pdo_pool *pool, pdo_pool_seat *seat)
{
	pdo_pool_slot *promised = seat->place.slot;

	if (seat->place.standing) {
		step_out(pool, seat);
	}
	if (promised) {
		seat->place.slot = NULL;
		pdo_pool_hand_on(promised);
	}
}

void pdo_pool_quit_lines(pdo_pool_scheduler by)
{
	pdo_pool *pool;
	pdo_pool_seat *seat;

	for (pool = PDO_POOL_G(pools); pool; pool = pool->next) {
		ZEND_HASH_FOREACH_PTR(&pool->seats, seat) {
			if (seat->place.sleeper.by == by) {
				pdo_pool_quit_line(pool, seat);
			}
		} ZEND_HASH_FOREACH_END();
	}
}

void pdo_pool_release(pdo_pool_seat *seat)
{
	pdo_pool_slot *slot = seat->slot;
	pdo_pool *pool = slot->pool;

	pdo_pool_after_fork(pool);
	seat->slot = NULL;
	pdo_pool_slot_clean(slot, seat->in_transaction);
	seat->in_transaction = false;
	if (pool->current == seat) {
		pdo_pool_seat_show(pool);
	}
	pdo_pool_hand_on(slot);
}

static void close_idle(pdo_pool *pool)
{
	double limit = pdo_pool_now() - pool->options.idle_timeout;
	uint32_t open, i;

	if (!pool->options.idle_timeout) {
		return;
	}
	open = pdo_pool_count_open(pool);
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

static void give_up_waiting(const pdo_pool *pool, pdo_pool_outcome outcome)
{
	if (outcome == PDO_POOL_HOPELESS) {
		pdo_pool_throw("HYT00", "no connection of the pool will become free: all %u are held by the program outside of "
			"pdo_pool_run(), or by tasks that wait in line themselves; end those transactions before, or raise "
			"PDO::ATTR_POOL_MAX", pool->options.max);
	} else {
		pdo_pool_throw("HYT00", "no connection of the pool became free within %.3g s: all %u are in transactions or "
			"calls of other fibers; end those sooner, or raise PDO::ATTR_POOL_MAX or PDO::ATTR_POOL_ACQUIRE_TIMEOUT",
			pool->options.acquire_timeout, pool->options.max);
	}
}

static pdo_pool_slot *wait_in_line(pdo_pool *pool, pdo_pool_seat *seat)
{
	double start = pdo_pool_now();
	pdo_pool_outcome outcome;
	pdo_pool_slot *slot;

	if (pdo_pool_scheduler_here(true) == PDO_POOL_BY_BLOCKING) {
		pool->counters.timeouts++;
		refuse_to_wait(pool);
		return NULL;
	}
	pool->counters.waits++;
	line_up(pool, seat);
	outcome = pool->options.acquire_timeout
		? pdo_pool_sleep(&seat->place.sleeper, start + pool->options.acquire_timeout) : PDO_POOL_TIMED_OUT;
	pool->counters.wait_time += pdo_pool_now() - start;
	slot = seat->place.slot;
	if (slot && outcome != PDO_POOL_INTERRUPTED) {
		seat->place.slot = NULL;
		return slot;
	}
	pdo_pool_quit_line(pool, seat);
	if (outcome != PDO_POOL_INTERRUPTED) {
		pool->counters.timeouts++;
		give_up_waiting(pool, outcome);
	}
	return NULL;
}

static pdo_pool_slot *acquire(pdo_pool *pool, pdo_pool_seat *seat)
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
	return wait_in_line(pool, seat);
}

static void take_seat(pdo_pool_seat *seat, pdo_pool_slot *slot)
{
	seat->slot = seat->last = slot;
	if (slot->holder != seat->number) {
		slot->holder = seat->number;
		slot->tenure = ++slot->pool->tenures;
	}
}

pdo_pool_slot *pdo_pool_enter(pdo_pool *pool)
{
	pdo_pool_seat *seat = pdo_pool_seat_of_current(pool);
	bool fresh;

	pdo_pool_after_fork(pool);
	pdo_pool_free_ended(pool);
	pdo_pool_quit_line(pool, seat); /* where a fatal error left it standing */
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
		take_seat(seat, slot);
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
	if (pdo_pool_slot_broken(slot)) {
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
