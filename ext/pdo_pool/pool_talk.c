/* COPY, large objects, notifications: methods that only this driver has, and that talk to the server by themselves. They
 * block as without a pool, on a connection that the fiber is given before. */

#include "pool.h"

typedef struct {
	const char *name;        /* in Pdo\Pgsql, since PHP 8.4 */
	const char *driver_name; /* in PDO; NULL: not there */
	bool asks;               /* the server */
	bool opens_lob;
	bool draws;              /* perhaps, from a sequence */
	zif_handler stock;       /* in Pdo\Pgsql; written while PHP starts, then only read */
} talk;

static talk talks[] = {
	{"copyfromarray", "pgsqlcopyfromarray", true, false, true, NULL},
	{"copyfromfile", "pgsqlcopyfromfile", true, false, true, NULL},
	{"copytoarray", "pgsqlcopytoarray", true, false, false, NULL},
	{"copytofile", "pgsqlcopytofile", true, false, false, NULL},
	{"lobcreate", "pgsqllobcreate", true, false, false, NULL},
	{"lobopen", "pgsqllobopen", true, true, false, NULL},
	{"lobunlink", "pgsqllobunlink", true, false, false, NULL},
	{"getnotify", "pgsqlgetnotify", true, false, false, NULL},
	{"getpid", "pgsqlgetpid", false, false, false, NULL},
	{"escapeidentifier", NULL, false, false, false, NULL},
};

/* NULL for one that came to the driver later. */
static const talk *find(const zend_string *name, bool of_driver)
{
	size_t i;

	for (i = 0; i < sizeof(talks) / sizeof(*talks); i++) {
		const char *known = of_driver ? talks[i].driver_name : talks[i].name;

		if (known && !strcasecmp(ZSTR_VAL(name), known)) {
			return &talks[i];
		}
	}
	return NULL;
}

static void call(pdo_pool *pool, zif_handler stock, const talk *t, INTERNAL_FUNCTION_PARAMETERS)
{
	pdo_pool_slot *slot = pdo_pool_enter(pool);
	double start = pdo_pool_now();

	if (!slot) {
		return;
	}
	slot->lobs = slot->lobs || (t && t->opens_lob);
	stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	if (t && t->opens_lob) {
		pdo_pool_watch_lob(return_value);
	}
	if (t && t->draws) {
		pdo_pool_note_draws(pool, NULL);
	}
	if (!t || t->asks) {
		pdo_pool_blocked(pool, start);
	}
	pdo_pool_leave(pool);
}

static void talk_of_class(INTERNAL_FUNCTION_PARAMETERS)
{
	const talk *t = find(EX(func)->common.function_name, false);
	pdo_pool *pool = PDO_POOL_G(pools) ? pdo_pool_of(Z_PDO_DBH_P(ZEND_THIS)) : NULL;

	if (pool) {
		call(pool, t->stock, t, INTERNAL_FUNCTION_PARAM_PASSTHRU);
	} else {
		t->stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

/* The driver's own table has what `talk_of_driver` stands before. */
static void talk_of_driver(INTERNAL_FUNCTION_PARAMETERS)
{
	const zend_string *name = EX(func)->common.function_name;
	pdo_pool *pool = pdo_pool_of(Z_PDO_DBH_P(ZEND_THIS));
	const zend_function_entry *entry =
		pool->vacant.driver->get_driver_methods(pool->dbh, PDO_DBH_DRIVER_METHOD_KIND_DBH);

	for (; entry->fname; entry++) {
		if (!strcasecmp(ZSTR_VAL(name), entry->fname)) {
			call(pool, entry->handler, find(name, true), INTERNAL_FUNCTION_PARAM_PASSTHRU);
			return;
		}
	}
}

/* Statements have no methods of the driver's. */
const zend_function_entry *pdo_pool_driver_methods(pdo_pool *pool, int kind)
{
	const zend_function_entry *stock = pool->vacant.driver->get_driver_methods(pool->dbh, kind);
	size_t count = 0, i;

	if (!stock || kind != PDO_DBH_DRIVER_METHOD_KIND_DBH) {
		return stock;
	}
	while (stock[count].fname) {
		count++;
	}
	if (!pool->driver_methods) {
		pool->driver_methods = safe_emalloc(count + 1, sizeof(*stock), 0);
		memcpy(pool->driver_methods, stock, (count + 1) * sizeof(*stock));
		for (i = 0; i < count; i++) {
			pool->driver_methods[i].handler = talk_of_driver;
		}
	}
	return pool->driver_methods;
}

void pdo_pool_hook_talks(void)
{
	const zend_class_entry *ce = zend_hash_str_find_ptr(CG(class_table), ZEND_STRL("pdo\\pgsql"));
	size_t i;

	for (i = 0; ce && i < sizeof(talks) / sizeof(*talks); i++) {
		zend_function *method = zend_hash_str_find_ptr(&ce->function_table, talks[i].name, strlen(talks[i].name));

		if (method && method->type == ZEND_INTERNAL_FUNCTION) {
			talks[i].stock = method->internal_function.handler;
			method->internal_function.handler = talk_of_class;
		}
	}
}
