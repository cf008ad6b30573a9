/* Statement objects that nobody uses any more, handed out again for the same SQL.
 * Of pdo_pgsql, pdo_mysql and pdo_sqlite.
 *
 * One statement of each SQL and PDO object can be: the first one that was prepared. While it is idle it holds no
 * reference to its PDO object, so that connections close when they would without us. */

#ifndef PDO_POOL_REUSE_H
#define PDO_POOL_REUSE_H

#include "compat.h"
#include "shelf.h"

/* Where `pdo` is that of the shelf: hands the statement out, as `prepare()` returns it. False where it is out already. */
static zend_always_inline bool pdo_pool_hand_out(
	const pdo_pool_spot *spot, zend_object *pdo, pdo_dbh_t *dbh, zval *return_value)
{
	pdo_stmt_t *stmt = php_pdo_stmt_fetch_object(spot->object);

	if (UNEXPECTED(PDO_POOL_OWNER(stmt))) {
		return false;
	}
	GC_ADDREF(pdo);
	PDO_POOL_SET_OWNER(stmt, pdo);
	memcpy(dbh->error_code, PDO_ERR_NONE, sizeof(PDO_ERR_NONE));
	PDO_POOL_COUNT(reused);
	ZVAL_OBJ(return_value, &stmt->std);
	return true;
}

/* PDO::prepare(), where there is something to hand out and it is seen at once. Nothing on the shelf has another class or
 * fetch mode than a new statement would have: when a setting of the connection is about to change, all is forgotten. */
static zend_always_inline bool pdo_pool_reuse_take(zend_execute_data *execute_data, zval *return_value)
{
	const zval *sql = ZEND_CALL_ARG(execute_data, 1);
	zend_object *pdo = Z_OBJ(EX(This));
	pdo_pool_shelf *shelf = pdo_pool_shelf_of(pdo);
	const pdo_pool_spot *spot;

	if (!shelf || UNEXPECTED(ZEND_NUM_ARGS() != 1 || Z_TYPE_P(sql) != IS_STRING)) {
		return false;
	}
	spot = *pdo_pool_shelf_front(shelf, Z_STR_P(sql));
	return EXPECTED(spot->sql == Z_STR_P(sql) && !shelf->dbh->query_stmt)
		&& pdo_pool_hand_out(spot, pdo, shelf->dbh, return_value);
}

/* PDO::prepare() where not: by `stock` where there is nothing at all. */
void pdo_pool_reuse_prepare(zend_execute_data *execute_data, zval *return_value, zif_handler stock);

/* What was prepared on this connection so far is never handed out again. PDO objects share one that persists, and its
 * settings. */
void pdo_pool_reuse_forget(const pdo_dbh_t *dbh);

/* The same of one statement. */
void pdo_pool_reuse_exclude(zend_object *stmt);

/* Before a name of a column is looked for in this statement: nothing is described before the first execution. */
void pdo_pool_reuse_describe(zend_object *stmt);

/* At the end of a request, and when reuse is switched off. */
void pdo_pool_reuse_forget_all(void);

#endif
