#include "shelf.h"
#include "columns.h"
#include "compat.h"

#define SHELF_MAX 256

/* Stands in front where nothing does. */
static pdo_pool_spot nothing;

void pdo_pool_spot_forget(pdo_pool_spot *spot)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(spot->object);

	spot->version = 0;
	stmt->column_count = spot->column_count;
	pdo_pool_columns_forget(stmt, stmt->driver_data);
	spot->column_count = 0;
}

void pdo_pool_spot_free(pdo_pool_spot *spot)
{
	pdo_pool_spot **front = pdo_pool_shelf_front(spot->shelf, spot->sql);
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(spot->object);

	if (*front == spot) {
		*front = &nothing;
	}
	if (stmt->methods == &PDO_POOL_G(kept_stmt_methods)) {
		if (!stmt->column_count) {
			pdo_pool_spot_forget(spot);
		}
		stmt->methods = &PDO_POOL_G(cached_stmt_methods);
	}
	spot->object->handlers = spot->stock;
	zend_hash_del(&spot->shelf->spots, spot->sql);
	zend_string_release(spot->sql);
	efree(spot);
}

/* Frees an idle statement as if it had been freed when it became idle. */
static void end_idle(pdo_pool_spot *spot)
{
	zend_object *object = spot->object, *pdo = spot->pdo;

	pdo_pool_spot_free(spot);
	if (!(OBJ_FLAGS(pdo) & IS_OBJ_FREE_CALLED)) {
		/* The driver tells the server, which it does only beside a living PDO object. */
		GC_ADDREF(pdo);
		PDO_POOL_SET_OWNER(php_pdo_stmt_fetch_object(object), pdo);
	}
	OBJ_RELEASE(object);
}

static void end_spot(pdo_pool_spot *spot)
{
	if (!PDO_POOL_OWNER(php_pdo_stmt_fetch_object(spot->object))) {
		end_idle(spot);
	} else {
		pdo_pool_spot_free(spot);
	}
}

void pdo_pool_spot_gone(zend_object *object)
{
	pdo_pool_spot_free((pdo_pool_spot *) object->handlers);
	object->handlers->free_obj(object);
}

void pdo_pool_shelf_gone(zend_object *pdo)
{
	pdo_pool_shelf_free((pdo_pool_shelf *) pdo->handlers);
	pdo->handlers->free_obj(pdo);
}

static void end_shelf(zend_object *pdo)
{
	pdo_pool_shelf *shelf = (pdo_pool_shelf *) pdo->handlers;

	shelf->stock->dtor_obj(pdo);
	if (pdo->handlers == &shelf->handlers) {
		pdo_pool_shelf_free(shelf);
	}
}

void pdo_pool_spot_add(pdo_pool_shelf *shelf, zend_object *object, zend_object_dtor_obj_t end)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);
	pdo_pool_spot *spot, *oldest;

	if (zend_hash_num_elements(&shelf->spots) >= SHELF_MAX) {
		ZEND_HASH_FOREACH_PTR(&shelf->spots, oldest) {
			end_spot(oldest);
			break;
		} ZEND_HASH_FOREACH_END();
	}
	spot = ecalloc(1, sizeof(*spot));
	spot->stock = object->handlers;
	spot->handlers = *spot->stock;
	spot->handlers.dtor_obj = end;
	spot->handlers.free_obj = pdo_pool_spot_gone;
	spot->shelf = shelf;
	spot->pdo = shelf->pdo;
	spot->object = object;
	spot->fetch_type = shelf->dbh->default_fetch_type;
	spot->sql = zend_string_copy(stmt->query_string);
	zend_hash_add_new_ptr(&shelf->spots, spot->sql, spot);
	if (stmt->methods == &PDO_POOL_G(cached_stmt_methods)) {
		stmt->methods = &PDO_POOL_G(kept_stmt_methods);
	}
	object->handlers = &spot->handlers;
}

pdo_pool_shelf *pdo_pool_shelf_for(zend_object *pdo)
{
	pdo_pool_shelf *shelf = pdo_pool_shelf_of(pdo);
	size_t i;

	if (shelf) {
		return shelf;
	}
	shelf = ecalloc(1, sizeof(*shelf));
	shelf->stock = pdo->handlers;
	shelf->handlers = *shelf->stock;
	shelf->handlers.dtor_obj = end_shelf;
	shelf->handlers.free_obj = pdo_pool_shelf_gone;
	shelf->pdo = pdo;
	shelf->dbh = php_pdo_dbh_fetch_inner(pdo);
	zend_hash_init(&shelf->spots, 8, NULL, NULL, 0);
	for (i = 0; i < PDO_POOL_SHELF_FRONT; i++) {
		shelf->front[i] = &nothing;
	}
	shelf->link = &PDO_POOL_G(shelves);
	shelf->next = *shelf->link;
	if (shelf->next) {
		shelf->next->link = &shelf->next;
	}
	*shelf->link = shelf;
	pdo->handlers = &shelf->handlers;
	return shelf;
}

void pdo_pool_shelf_free(pdo_pool_shelf *shelf)
{
	pdo_pool_spot *spot;

	shelf->pdo->handlers = shelf->stock;
	*shelf->link = shelf->next;
	if (shelf->next) {
		shelf->next->link = shelf->link;
	}
	ZEND_HASH_FOREACH_PTR(&shelf->spots, spot) {
		end_spot(spot);
	} ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&shelf->spots);
	efree(shelf);
}
