/* COPY, large objects, notifications: methods that only this driver has, and that talk to the server by themselves. They
 * block as without a pool, on a connection that the fiber is given before. */

#include "pool.h"

typedef struct {
	const char *name;
	zif_handler stock;
	bool opens_lob;
} talk;

/* Of Pdo\Pgsql, since PHP 8.4. `stock` is written while PHP starts, then only read. */
static talk talks[] = {
	{"copyfromarray", NULL, false}, {"copyfromfile", NULL, false}, {"copytoarray", NULL, false},
	{"copytofile", NULL, false}, {"lobcreate", NULL, false}, {"lobopen", NULL, true}, {"lobunlink", NULL, false},
	{"getnotify", NULL, false}, {"getpid", NULL, false}, {"escapeidentifier", NULL, false},
};

static void call(zif_handler stock, bool opens_lob, INTERNAL_FUNCTION_PARAMETERS)
{
	pdo_pool *pool = PDO_POOL_G(pools) ? pdo_pool_of(Z_PDO_DBH_P(ZEND_THIS)) : NULL;
	pdo_pool_slot *slot;

	if (!pool) {
		stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
		return;
	}
	slot = pdo_pool_enter(pool);
	if (slot) {
		slot->lobs = slot->lobs || opens_lob;
		stock(INTERNAL_FUNCTION_PARAM_PASSTHRU);
		pdo_pool_leave(pool);
	}
}

static void talk_of_class(INTERNAL_FUNCTION_PARAMETERS)
{
	const zend_string *name = EX(func)->common.function_name;
	size_t i;

	for (i = 0; i < sizeof(talks) / sizeof(*talks); i++) {
		if (!strcasecmp(ZSTR_VAL(name), talks[i].name)) {
			call(talks[i].stock, talks[i].opens_lob, INTERNAL_FUNCTION_PARAM_PASSTHRU);
			return;
		}
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
			call(entry->handler, !strcasecmp(entry->fname, "pgsqlLOBOpen"), INTERNAL_FUNCTION_PARAM_PASSTHRU);
			return;
		}
	}
}

#define MOST_METHODS 32

const zend_function_entry *pdo_pool_driver_methods(pdo_pool *pool, int kind)
{
	ZEND_TLS zend_function_entry ours[MOST_METHODS + 1]; /* PDO copies them at once */
	const zend_function_entry *entry = pool->vacant.driver->get_driver_methods(pool->dbh, kind);
	size_t count = 0;

	if (!entry) {
		return NULL;
	}
	for (; entry->fname && count < MOST_METHODS; entry++) {
		ours[count] = *entry;
		ours[count++].handler = talk_of_driver;
	}
	ours[count].fname = NULL;
	return ours;
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
