/* Where statements wait that nobody uses any more: the shelf of a PDO object has one spot for each SQL.
 *
 * Both begin with a table of handlers, to which the handlers of their object point: so an object finds them without a
 * look-up, and they learn when it goes. */

#ifndef PDO_POOL_SHELF_H
#define PDO_POOL_SHELF_H

#include "cache.h"

typedef struct _pdo_pool_shelf pdo_pool_shelf;

typedef struct {
	zend_object_handlers handlers;
	const zend_object_handlers *stock;
	pdo_pool_shelf *shelf;
	zend_object *pdo;
	zend_object *object; /* while it is idle it has no PDO object */
	zend_string *sql;
	enum pdo_fetch_type fetch_type; /* that a new statement would have */

	/* What the next execution need not find out again (stmt.c). The entry is there, and its name is good, as long as
	 * its cache has this version; 0: none. */
	pdo_pool_entry *entry;
	zend_ulong version;
	int column_count; /* as many as PDO has described, which is not to know of them until it has executed */
} pdo_pool_spot;

/* Idle statements that are found by the address of their SQL alone. */
#define PDO_POOL_SHELF_FRONT 32

struct _pdo_pool_shelf {
	zend_object_handlers handlers;
	const zend_object_handlers *stock;
	zend_object *pdo;
	pdo_dbh_t *dbh;
	pdo_pool_shelf *next, **link;
	HashTable spots; /* by SQL */
	pdo_pool_spot *front[PDO_POOL_SHELF_FRONT]; /* by the hash of the SQL; never NULL */
};

/* These stand in the tables of handlers, and tell whose they are. After a fatal error objects go without destructors. */
void pdo_pool_shelf_gone(zend_object *pdo);
void pdo_pool_spot_gone(zend_object *stmt);

/* NULL where nothing of this PDO object was kept. */
static zend_always_inline pdo_pool_shelf *pdo_pool_shelf_of(const zend_object *pdo)
{
	return EXPECTED(pdo->handlers->free_obj == pdo_pool_shelf_gone) ? (pdo_pool_shelf *) pdo->handlers : NULL;
}

/* NULL where this statement is none that comes back. */
static zend_always_inline pdo_pool_spot *pdo_pool_spot_of(const zend_object *stmt)
{
	return EXPECTED(stmt->handlers->free_obj == pdo_pool_spot_gone) ? (pdo_pool_spot *) stmt->handlers : NULL;
}

static zend_always_inline pdo_pool_spot **pdo_pool_shelf_front(pdo_pool_shelf *shelf, const zend_string *sql)
{
	return &shelf->front[ZSTR_H(sql) % PDO_POOL_SHELF_FRONT];
}

pdo_pool_shelf *pdo_pool_shelf_for(zend_object *pdo);

/* A spot for a statement that is out; `end` is to happen when its last user lets go. The oldest one gives way. */
void pdo_pool_spot_add(pdo_pool_shelf *shelf, zend_object *stmt, zend_object_dtor_obj_t end);

/* Of a statement that is out: it does not come back. */
void pdo_pool_spot_free(pdo_pool_spot *spot);

/* Of a statement that kept.c executes: it looks for a name and describes its columns anew. */
void pdo_pool_spot_forget(pdo_pool_spot *spot);

/* With all idle statements. */
void pdo_pool_shelf_free(pdo_pool_shelf *shelf);

#endif
