/* The fields of pdo_pgsql's private structs that we read and write.
 *
 * Both structs are the same in PHP 8.1 to 8.4 up to the fields named here; 8.5 dropped disable_native_prepares and
 * appended what unbuffered statements need. pdo_pool_layout_known() holds a live connection and a live statement
 * against them before anything else is touched. */

#ifndef PDO_POOL_LAYOUT_H
#define PDO_POOL_LAYOUT_H

#include <libpq-fe.h>

#include "php_pdo_pool.h"

#ifndef PDO_POOL_LAYOUT_SUPPORTED /* given as 0, to test how an unknown one is refused */
# define PDO_POOL_LAYOUT_SUPPORTED (PHP_VERSION_ID >= 80100 && PHP_VERSION_ID < 80700)
#endif

typedef struct {
	const char *file;
	int line;
	unsigned int errcode;
	char *errmsg; /* persistent where the connection is */
} pdo_pool_pg_error;

typedef struct _pdo_pool_pg_stmt pdo_pool_pg_stmt;

typedef struct {
	PGconn *server;
	unsigned flags;
	pdo_pool_pg_error error;
	Oid last_oid;
	unsigned int stmt_counter;
	bool emulate_prepares;
#if PHP_VERSION_ID < 80500
	bool disable_native_prepares;
#endif
	bool disable_prepares;
#if PHP_VERSION_ID >= 80500
	HashTable *lob_streams;
	void *notice_callback;
	bool default_unbuffered;
	pdo_pool_pg_stmt *running_stmt;
#endif
} pdo_pool_pg_handle;

typedef struct {
	Oid type;
} pdo_pool_pg_column;

struct _pdo_pool_pg_stmt {
	pdo_pool_pg_handle *handle;
	PGresult *result;
	pdo_pool_pg_column *columns; /* as many as the first execution had */
	char *cursor_name;
	char *name;         /* the driver deallocates and frees it in its dtor: NULL in statements that we execute */
	zend_string *query; /* with $1, $2, … */
	char **param_values;
	int *param_lengths;
	int *param_formats;
	Oid *param_types;
	int current_row;
	/* The driver looks at it only beside a name or a cursor. In statements that we execute: which name described
	 * its columns, see columns_tag() in stmt.c. */
	uint8_t is_prepared;
#if PHP_VERSION_ID >= 80500
	bool is_unbuffered;
	bool is_running_unbuffered;
#endif
};

static zend_always_inline pdo_pool_pg_handle *pdo_pool_handle(pdo_dbh_t *dbh)
{
	return (pdo_pool_pg_handle *) dbh->driver_data;
}

/* Whether the driver hands out rows of this statement while the server still sends them. */
static zend_always_inline bool pdo_pool_unbuffered(const pdo_pool_pg_stmt *S)
{
#if PHP_VERSION_ID >= 80500
	return S->is_unbuffered;
#else
	(void) S;
	return false;
#endif
}

/* Whether the driver will prepare such a statement. */
static zend_always_inline bool pdo_pool_wants_unbuffered(const pdo_pool_pg_handle *H, zval *driver_options)
{
#if PHP_VERSION_ID >= 80500
	return !pdo_attr_lval(driver_options, PDO_ATTR_PREFETCH, !H->default_unbuffered);
#else
	(void) H;
	(void) driver_options;
	return false;
#endif
}

/* The driver keeps which statement it executed last, to end it before the next one that is unbuffered. It forgets those
 * that it deallocates, which are not ours; and there is nothing to end unless it is unbuffered itself. */
static zend_always_inline void pdo_pool_forget_running(const pdo_pool_pg_stmt *S)
{
#if PHP_VERSION_ID >= 80500
	if (!S->is_unbuffered) {
		S->handle->running_stmt = NULL;
	}
#else
	(void) S;
#endif
}

/* Whether `dbh` lies in memory as we think. Warns once per process where not. */
bool pdo_pool_handle_known(pdo_dbh_t *dbh);

/* The same of a statement that the driver just prepared from `sql`. */
bool pdo_pool_stmt_known(pdo_stmt_t *stmt, zend_string *sql);

#endif
