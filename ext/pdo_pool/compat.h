/* Where PHP's public interfaces differ between versions of it. */

#ifndef PDO_POOL_COMPAT_H
#define PDO_POOL_COMPAT_H

#include "php_pdo_pool.h"
#include "zend_closures.h"

static inline zend_object *pdo_pool_owner_in_zval(const zval *field)
{
	return Z_ISUNDEF_P(field) ? NULL : Z_OBJ_P(field);
}

static inline zend_object *pdo_pool_owner_in_pointer(zend_object *const *field)
{
	return *field;
}

static inline void pdo_pool_own_by_zval(zval *field, zend_object *owner)
{
	if (owner) {
		ZVAL_OBJ(field, owner);
	} else {
		ZVAL_UNDEF(field);
	}
}

static inline void pdo_pool_own_by_pointer(zend_object **field, zend_object *owner)
{
	*field = owner;
}

/* The PDO object of a statement, or NULL: kept in a zval, later in a pointer. */
#define PDO_POOL_OWNER(stmt) \
	_Generic(&(stmt)->database_object_handle, \
		zval *: pdo_pool_owner_in_zval, \
		zend_object **: pdo_pool_owner_in_pointer)(&(stmt)->database_object_handle)

/* Without counting the reference. */
#define PDO_POOL_SET_OWNER(stmt, owner) \
	_Generic(&(stmt)->database_object_handle, \
		zval *: pdo_pool_own_by_zval, \
		zend_object **: pdo_pool_own_by_pointer)(&(stmt)->database_object_handle, owner)

/* The statement whose error a dbh shows, or NULL; its reference is not counted here. Kept in two places. */
static inline void pdo_pool_set_query_stmt(pdo_dbh_t *dbh, pdo_stmt_t *stmt)
{
	dbh->query_stmt = stmt;
#if PHP_VERSION_ID >= 80500
	dbh->query_stmt_obj = stmt ? &stmt->std : NULL;
#else
	if (stmt) {
		ZVAL_OBJ(&dbh->query_stmt_zval, &stmt->std);
	} else {
		ZVAL_UNDEF(&dbh->query_stmt_zval);
	}
#endif
}

/* A Closure of a function in `scope`, bound to the object `of` or to none. */
static inline void pdo_pool_create_closure(zval *result, zend_function *function, zend_class_entry *scope, zend_object *of)
{
#if PHP_VERSION_ID >= 80600
	zend_create_fake_closure(result, function, scope, scope, of);
#else
	zval object;

	if (of) {
		ZVAL_OBJ(&object, of);
	}
	zend_create_fake_closure(result, function, scope, scope, of ? &object : NULL);
#endif
}

#endif
