#include "reuse.h"
#include "compat.h"
#include "reset.h"

/* Statements of one PDO object by their SQL. An object is idle; a number is the handle of the one that is out. */
typedef struct {
	zend_object *pdo;
	HashTable by_sql;
} shelf;

#define SHELF_MAX 256

static shelf *shelf_of(const zend_object *pdo)
{
	return PDO_POOL_G(shelves) ? zend_hash_index_find_ptr(PDO_POOL_G(shelves), pdo->handle) : NULL;
}

static bool reusable(const zend_object *object, const pdo_stmt_t *stmt, const zend_object *pdo)
{
	return !(EG(flags) & EG_FLAGS_IN_SHUTDOWN) && !EG(exception)
		&& PDO_POOL_G(reuse_statements)
		&& !object->properties && !(OBJ_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED)
		&& (!*stmt->error_code || !memcmp(stmt->error_code, PDO_ERR_NONE, sizeof(PDO_ERR_NONE)))
		&& stmt->default_fetch_type == stmt->dbh->default_fetch_type
		/* else the connection would stay open for its idle statements */
		&& pdo && GC_REFCOUNT(pdo) > 1;
}

/* Takes a statement from its last user. */
static bool put_back(zend_object *object)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);
	zend_object *pdo = PDO_POOL_OWNER(stmt);
	zend_ulong changes;
	shelf *s;
	zval *place;

	if (!reusable(object, stmt, pdo)) {
		return false;
	}
	s = shelf_of(pdo);
	place = s ? zend_hash_find_known_hash(&s->by_sql, stmt->query_string) : NULL;
	if (!place || Z_TYPE_P(place) != IS_LONG || Z_LVAL_P(place) != (zend_long) object->handle) {
		return false;
	}
	changes = PDO_POOL_G(shelf_changes);
	if (!pdo_pool_reset_stmt(stmt) || changes != PDO_POOL_G(shelf_changes)
			|| GC_REFCOUNT(object) != 1 || GC_REFCOUNT(pdo) < 2) {
		return false; /* destructors of values may have done anything */
	}
	ZVAL_OBJ_COPY(place, object);
	GC_DEL_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
	PDO_POOL_SET_OWNER(stmt, NULL);
	GC_DELREF(pdo);
	return true;
}

/* The place of a statement that is not coming back. */
static void give_up_place(zend_object *object)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);
	zend_object *pdo = PDO_POOL_OWNER(stmt);
	shelf *s = pdo ? shelf_of(pdo) : NULL;
	zval *place = s ? zend_hash_find(&s->by_sql, stmt->query_string) : NULL;

	if (place && Z_TYPE_P(place) == IS_LONG && Z_LVAL_P(place) == (zend_long) object->handle) {
		zend_hash_del(&s->by_sql, stmt->query_string);
		PDO_POOL_G(shelf_changes)++;
	}
}

static void destroy_stmt(zend_object *object)
{
	/* More than one reference: PHP ends everything, or the garbage collector found it. */
	if (GC_REFCOUNT(object) == 1 && put_back(object)) {
		return;
	}
	give_up_place(object);
	object->handlers = PDO_POOL_G(stock_stmt_handlers);
	object->handlers->dtor_obj(object);
}

/* Frees an idle statement as if it had been freed when it became idle. */
static void free_idle(zend_object *object, zend_object *pdo, bool pdo_alive)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);

	object->handlers = PDO_POOL_G(stock_stmt_handlers);
	if (pdo_alive) {
		/* The driver tells the server, which it does only beside a living PDO object. */
		GC_ADDREF(pdo);
		PDO_POOL_SET_OWNER(stmt, pdo);
	}
	OBJ_RELEASE(object);
}

static void free_shelf(shelf *s, bool pdo_alive)
{
	zval *place;

	PDO_POOL_G(shelf_changes)++;
	ZEND_HASH_FOREACH_VAL(&s->by_sql, place) {
		if (Z_TYPE_P(place) == IS_OBJECT) {
			zend_object *object = Z_OBJ_P(place);

			ZVAL_NULL(place);
			free_idle(object, s->pdo, pdo_alive);
		}
	} ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&s->by_sql);
	efree(s);
}

void pdo_pool_reuse_forget(zend_object *pdo)
{
	shelf *s = shelf_of(pdo);

	if (s) {
		zend_hash_index_del(PDO_POOL_G(shelves), pdo->handle);
		free_shelf(s, true);
	}
}

void pdo_pool_reuse_exclude(zend_object *stmt)
{
	if (stmt->handlers == &PDO_POOL_G(stmt_handlers)) {
		give_up_place(stmt);
		stmt->handlers = PDO_POOL_G(stock_stmt_handlers);
	}
}

void pdo_pool_reuse_forget_all(void)
{
	HashTable *shelves = PDO_POOL_G(shelves);
	zend_ulong handle;
	shelf *s;

	if (!shelves) {
		return;
	}
	PDO_POOL_G(shelves) = NULL;
	ZEND_HASH_FOREACH_NUM_KEY_PTR(shelves, handle, s) {
		zend_object *now = EG(objects_store).object_buckets[handle];

		/* After a fatal error, PDO objects may be gone without a word to us. */
		free_shelf(s, IS_OBJ_VALID(now) && now == s->pdo && !(OBJ_FLAGS(now) & IS_OBJ_FREE_CALLED));
	} ZEND_HASH_FOREACH_END();
	zend_hash_destroy(shelves);
	FREE_HASHTABLE(shelves);
}

static void destroy_pdo(zend_object *pdo)
{
	PDO_POOL_G(stock_dbh_handlers)->dtor_obj(pdo);
	pdo_pool_reuse_forget(pdo);
}

/* Instances get their own table of handlers; the tables are made from the first object of each kind. */
static bool take_handlers(
	zend_object *object, const zend_object_handlers **stock, zend_object_handlers *ours, zend_object_dtor_obj_t dtor)
{
	if (object->handlers == ours) {
		return true;
	}
	if (!*stock) {
		*stock = object->handlers;
		*ours = *object->handlers;
		ours->dtor_obj = dtor;
	}
	if (object->handlers != *stock) {
		return false; /* of another extension */
	}
	object->handlers = ours;
	return true;
}

static shelf *shelf_for(zend_object *pdo)
{
	shelf *s = shelf_of(pdo);

	if (s) {
		return s;
	}
	if (!take_handlers(pdo, &PDO_POOL_G(stock_dbh_handlers), &PDO_POOL_G(dbh_handlers), destroy_pdo)) {
		return NULL;
	}
	if (!PDO_POOL_G(shelves)) {
		ALLOC_HASHTABLE(PDO_POOL_G(shelves));
		zend_hash_init(PDO_POOL_G(shelves), 8, NULL, NULL, 0);
	}
	s = emalloc(sizeof(*s));
	s->pdo = pdo;
	zend_hash_init(&s->by_sql, 8, NULL, NULL, 0);
	zend_hash_index_add_new_ptr(PDO_POOL_G(shelves), pdo->handle, s);
	return s;
}

static void free_oldest(shelf *s)
{
	zend_string *sql;
	zval *place;

	ZEND_HASH_FOREACH_STR_KEY_VAL(&s->by_sql, sql, place) {
		zval gone;

		ZVAL_COPY_VALUE(&gone, place);
		zend_hash_del(&s->by_sql, sql);
		if (Z_TYPE(gone) == IS_OBJECT) {
			free_idle(Z_OBJ(gone), s->pdo, true);
		}
		return;
	} ZEND_HASH_FOREACH_END();
}

/* Makes a statement that was just prepared the one of its SQL that comes back, if there is none yet. */
static void offer(zend_object *pdo, zend_object *object)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);
	shelf *s = pdo_pool_resettable(stmt->dbh) ? shelf_for(pdo) : NULL;
	zval handle;

	if (!s || zend_hash_exists(&s->by_sql, stmt->query_string)
			|| !take_handlers(object, &PDO_POOL_G(stock_stmt_handlers), &PDO_POOL_G(stmt_handlers), destroy_stmt)) {
		return;
	}
	if (zend_hash_num_elements(&s->by_sql) >= SHELF_MAX) {
		free_oldest(s);
	}
	ZVAL_LONG(&handle, object->handle);
	zend_hash_add_new(&s->by_sql, stmt->query_string, &handle);
	PDO_POOL_G(shelf_changes)++;
}

static zend_always_inline bool plain(const pdo_dbh_t *dbh)
{
	return dbh->driver && dbh->def_stmt_ce && !dbh->def_stmt_ce->parent && dbh->def_stmt_ce->type == ZEND_INTERNAL_CLASS
		&& Z_ISUNDEF(dbh->def_stmt_ctor_args) && !dbh->query_stmt;
}

void pdo_pool_reuse_prepare(zend_execute_data *execute_data, zval *return_value, zif_handler stock)
{
	zend_object *pdo = Z_OBJ(EX(This));
	pdo_dbh_t *dbh = php_pdo_dbh_fetch_inner(pdo);
	zval *sql = ZEND_CALL_ARG(execute_data, 1), *place;
	shelf *s;

	if (UNEXPECTED(ZEND_NUM_ARGS() != 1 || Z_TYPE_P(sql) != IS_STRING || !plain(dbh))) {
		stock(execute_data, return_value);
		return;
	}
	s = shelf_of(pdo);
	place = s ? zend_hash_find(&s->by_sql, Z_STR_P(sql)) : NULL;
	if (place && EXPECTED(Z_TYPE_P(place) == IS_OBJECT)) {
		zend_object *object = Z_OBJ_P(place);
		pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);

		if (EXPECTED(stmt->dbh == dbh)) {
			ZVAL_LONG(place, object->handle);
			stmt->default_fetch_type = dbh->default_fetch_type;
			GC_ADDREF(pdo);
			PDO_POOL_SET_OWNER(stmt, pdo);
			memcpy(dbh->error_code, PDO_ERR_NONE, sizeof(PDO_ERR_NONE));
			PDO_POOL_COUNT(reused);
			RETURN_OBJ(object);
		}
	}
	stock(execute_data, return_value);
	if (!place && Z_TYPE_P(return_value) == IS_OBJECT) {
		offer(pdo, Z_OBJ_P(return_value));
	}
}
