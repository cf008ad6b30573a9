#include "reuse.h"
#include "reset.h"

void pdo_pool_reuse_forget(const pdo_dbh_t *dbh)
{
	pdo_pool_shelf *shelf, *next;

	for (shelf = PDO_POOL_G(shelves); shelf; shelf = next) {
		next = shelf->next;
		if (shelf->dbh == dbh) {
			pdo_pool_shelf_free(shelf);
		}
	}
}

void pdo_pool_reuse_forget_all(void)
{
	while (PDO_POOL_G(shelves)) {
		pdo_pool_shelf_free(PDO_POOL_G(shelves));
	}
}

void pdo_pool_reuse_exclude(zend_object *stmt)
{
	pdo_pool_spot *spot = pdo_pool_spot_of(stmt);

	if (spot) {
		pdo_pool_spot_free(spot);
	}
}

void pdo_pool_reuse_describe(zend_object *object)
{
	pdo_pool_spot *spot = pdo_pool_spot_of(object);
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);

	if (spot && stmt->methods == &PDO_POOL_G(kept_stmt_methods) && !stmt->column_count) {
		pdo_pool_spot_forget(spot);
	}
}

/* Once its values are gone: whether a statement can be told from a new one. */
static zend_always_inline bool like_new(const pdo_pool_spot *spot, const pdo_stmt_t *stmt)
{
	if (UNEXPECTED(memcmp(stmt->error_code, PDO_ERR_NONE, sizeof(PDO_ERR_NONE))) && *stmt->error_code) {
		return false;
	}
	return !stmt->std.properties && stmt->default_fetch_type == spot->fetch_type && pdo_pool_fetched_plainly(stmt);
}

/* Takes a statement from its last user. `kept`: kept.c executes it. */
static zend_always_inline bool put_back(zend_object *object, bool kept)
{
	const pdo_pool_spot *spot = (const pdo_pool_spot *) object->handlers;
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(object);

	/* More than one reference: PHP ends everything, or the garbage collector found it. Nobody gets another one while its
	 * values go. */
	if (GC_REFCOUNT(object) != 1 || (OBJ_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED)) {
		return false;
	}
	if (kept) {
		pdo_pool_reset_kept(stmt);
	} else if (!pdo_pool_reset_other(stmt)) {
		return false;
	}
	/* But their destructors may have done anything else. */
	if (object->handlers != &spot->handlers || !like_new(spot, stmt)
			/* else the connection would stay open for its idle statements */
			|| GC_REFCOUNT(spot->pdo) == 1) {
		return false;
	}
	stmt->fetch.column = 0;
	stmt->row_count = 0;
	stmt->executed = false;
	*stmt->error_code = '\0';
	GC_SET_REFCOUNT(object, 2);
	GC_DEL_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
	PDO_POOL_SET_OWNER(stmt, NULL);
	GC_DELREF(spot->pdo);
	return true;
}

static zend_never_inline void end(zend_object *object)
{
	if (PDO_POOL_OWNER(php_pdo_stmt_fetch_object(object))) { /* idle ones go with their shelf */
		pdo_pool_reuse_exclude(object);
		object->handlers->dtor_obj(object);
	}
}

static void end_kept(zend_object *object)
{
	if (UNEXPECTED(!put_back(object, true))) {
		end(object);
	}
}

static void end_other(zend_object *object)
{
	if (!put_back(object, false)) {
		end(object);
	}
}

/* Whether its statements are ordinary ones. */
static bool plain(const pdo_dbh_t *dbh)
{
	return dbh->driver && dbh->def_stmt_ce && !dbh->def_stmt_ce->parent && dbh->def_stmt_ce->type == ZEND_INTERNAL_CLASS
		&& Z_ISUNDEF(dbh->def_stmt_ctor_args) && !dbh->query_stmt;
}

void pdo_pool_reuse_prepare(zend_execute_data *execute_data, zval *return_value, zif_handler stock)
{
	zend_object *pdo = Z_OBJ(EX(This)), *object;
	pdo_dbh_t *dbh = php_pdo_dbh_fetch_inner(pdo);
	const zval *sql = ZEND_CALL_ARG(execute_data, 1);
	pdo_pool_shelf *shelf = pdo_pool_shelf_of(pdo);
	pdo_pool_spot *spot;
	pdo_stmt_t *stmt;

	if (ZEND_NUM_ARGS() != 1 || Z_TYPE_P(sql) != IS_STRING || !plain(dbh)) {
		stock(execute_data, return_value);
		return;
	}
	spot = shelf ? zend_hash_find_ptr(&shelf->spots, Z_STR_P(sql)) : NULL;
	if (spot) {
		*pdo_pool_shelf_front(shelf, spot->sql) = spot;
		if (!pdo_pool_hand_out(spot, pdo, dbh, return_value)) {
			stock(execute_data, return_value);
		}
		return;
	}
	stock(execute_data, return_value);
	if (Z_TYPE_P(return_value) != IS_OBJECT) {
		return;
	}
	object = Z_OBJ_P(return_value);
	stmt = php_pdo_stmt_fetch_object(object);
	if (pdo_pool_resettable(dbh)) {
		/* Preparing may have called a user's code. */
		shelf = pdo_pool_shelf_for(pdo);
		if (!zend_hash_exists(&shelf->spots, stmt->query_string)) {
			pdo_pool_spot_add(
				shelf, object, stmt->methods == &PDO_POOL_G(cached_stmt_methods) ? end_kept : end_other);
		}
	}
}
