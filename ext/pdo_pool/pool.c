#include "async.h"

#include <stdarg.h>
#include <time.h>

double pdo_pool_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

void pdo_pool_throw(const char *sqlstate, const char *format, ...)
{
	pdo_error_type code;
	char *message;
	va_list args;

	va_start(args, format);
	vspprintf(&message, 0, format, args);
	va_end(args);
	strlcpy(code, sqlstate, sizeof(code));
	pdo_throw_exception(PGRES_FATAL_ERROR, message, &code);
	efree(message);
}

void pdo_pool_blocked(pdo_pool *pool, double since)
{
	pool->counters.blocking++;
	pool->counters.blocking_time += pdo_pool_now() - since;
}

pdo_pool *pdo_pool_of(const pdo_dbh_t *dbh)
{
	const pdo_pool *pool;

	for (pool = PDO_POOL_G(pools); pool; pool = pool->next) {
		if (pool->dbh == dbh) {
			return (pdo_pool *) pool;
		}
	}
	return NULL;
}

uint32_t pdo_pool_count_open(const pdo_pool *pool)
{
	uint32_t i, open = 0;

	for (i = 0; i < pool->options.max; i++) {
		open += pool->slots[i].server != NULL;
	}
	return open;
}

static bool may_be_pooled(pdo_dbh_t *dbh)
{
	if (!dbh->driver || strcmp(dbh->driver->driver_name, "pgsql")) {
		pdo_pool_throw("IM001", "PDO::ATTR_POOL_ENABLED is for connections of pgsql; leave it out for others");
	} else if (dbh->is_persistent) {
		pdo_pool_throw("IM001", "PDO::ATTR_POOL_ENABLED and PDO::ATTR_PERSISTENT cannot be combined; leave one out");
	} else if (PDO_POOL_G(refused) || !pdo_pool_handle_known(dbh)) {
		pdo_pool_throw("IM001", "pdo_pool does not know this pdo_pgsql (PHP %s); leave PDO::ATTR_POOL_ENABLED out, or "
			"use a pdo_pool that is built for it", PHP_VERSION);
	}
	return !EG(exception);
}

/* NULL with an exception. */
static pdo_pool *make(zend_object *object, const pdo_pool_options *options)
{
	pdo_dbh_t *dbh = php_pdo_dbh_fetch_inner(object);
	/* No setting: it fails without a look at the network. */
	PGconn *nowhere = PQconnectStart("nowhere");
	PQconninfoOption *conninfo = PQconninfo(pdo_pool_handle(dbh)->server);
	pdo_pool *pool;
	uint32_t i;

	if (!nowhere || !conninfo) {
		PQfinish(nowhere);
		PQconninfoFree(conninfo);
		pdo_pool_throw("HY001", "there is no memory for the settings of the pool's connections");
		return NULL;
	}
	pool = ecalloc(1, sizeof(*pool));
	pool->object = object;
	pool->dbh = dbh;
	pool->handle = pdo_pool_handle(dbh);
	pool->process = getpid();
	pool->options = *options;
	pool->vacant.pool = pool;
	pool->vacant.driver = dbh->methods;
	pool->vacant.methods = *dbh->methods;
	pdo_pool_take_methods(&pool->vacant);
	pool->nowhere = nowhere;
	pool->conninfo = conninfo;
	pool->slots = ecalloc(options->max, sizeof(*pool->slots));
	for (i = 0; i < options->max; i++) {
		pool->slots[i].pool = pool;
	}
	zend_hash_init(&pool->seats, 8, NULL, NULL, 0);
	pool->next = PDO_POOL_G(pools);
	PDO_POOL_G(pools) = pool;
	return pool;
}

bool pdo_pool_open(zend_object *object, const pdo_pool_options *options)
{
	pdo_pool_slot *first;
	pdo_pool_seat *seat;
	pdo_pool *pool;
	uint32_t i;

	if (!may_be_pooled(php_pdo_dbh_fetch_inner(object))) {
		return false;
	}
	pool = make(object, options);
	if (!pool) {
		return false;
	}
	*pool->dbh->error_code = '\0'; /* PDO cleared it when it asked the driver about our options */
	first = &pool->slots[0];
	pdo_pool_slot_connected(first, pool->handle->server);
	first->taken = true;
	seat = pdo_pool_seat_of_current(pool);
	seat->slot = seat->last = first;
	first->holder = seat->number;
	pdo_pool_seat_show(pool);
	for (i = 1; i < options->min; i++) {
		pdo_pool_slot *slot = &pool->slots[i];
		bool made;

		/* Others may be using the object already, given a constructor of PHP code, which may go on with it, too, if we
		 * fail. */
		slot->taken = true;
		made = pdo_pool_slot_prepare(slot, false);
		pdo_pool_hand_on(slot);
		if (!made) {
			return false;
		}
	}
	return true;
}

void pdo_pool_close(pdo_pool *pool)
{
	pdo_pool **link = &PDO_POOL_G(pools);
	const struct pdo_dbh_methods *driver = pool->vacant.driver;
	pdo_dbh_t *dbh = pool->dbh;
	uint32_t i;

	while (*link != pool) {
		link = &(*link)->next;
	}
	*link = pool->next;
	pdo_pool_after_fork(pool);
	pdo_pool_free_seats(pool);
	for (i = 0; i < pool->options.max; i++) {
		pdo_pool_slot_close(&pool->slots[i]);
	}
	pool->handle->server = pool->nowhere;
	dbh->methods = driver;
	dbh->methods->closer(dbh); /* and with it the connection to nowhere */
	PQconninfoFree(pool->conninfo);
	if (pool->driver_methods) {
		efree(pool->driver_methods);
	}
	efree(pool->slots);
	efree(pool);
}
