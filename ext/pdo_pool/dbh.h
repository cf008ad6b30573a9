/* One connection of pdo_pgsql that we look after. */

#ifndef PDO_POOL_DBH_H
#define PDO_POOL_DBH_H

#include "cache.h"
#include "layout.h"

typedef enum { PDO_POOL_ROUTE_UNKNOWN, PDO_POOL_ROUTE_DIRECT, PDO_POOL_ROUTE_POOLED } pdo_pool_route;

typedef struct {
	/* First: dbh->methods points here. So a connection finds its cache without a look-up, across requests too. */
	struct pdo_dbh_methods methods;
	const struct pdo_dbh_methods *driver;
	uint32_t epoch;      /* from 1; one more whenever the schema may have changed under a name */
	uint32_t generation; /* one more whenever a name has been given up that the server may still have */
	bool schema_changed; /* in the transaction that is open */
	bool named_by_hand;  /* the application has prepared something by SQL */
	pdo_pool_route route;
	struct _pdo_pool *pool;      /* that the connection belongs to, or NULL */
	struct _pdo_pool_slot *slot; /* and its place there */
	pdo_pool_cache cache;
} pdo_pool_conn;

bool pdo_pool_preparer(pdo_dbh_t *dbh, zend_string *sql, pdo_stmt_t *stmt, zval *driver_options);

static zend_always_inline bool pdo_pool_adopted(const pdo_dbh_t *dbh)
{
	return dbh->methods && dbh->methods->preparer == pdo_pool_preparer;
}

static zend_always_inline pdo_pool_conn *pdo_pool_conn_of(const pdo_dbh_t *dbh)
{
	return (pdo_pool_conn *) dbh->methods;
}

/* Looks after a connection from now on, if it is one of pdo_pgsql and the cache is on. Again for one that persisted:
 * takes over the settings of this request. */
void pdo_pool_adopt(pdo_dbh_t *dbh);

/* What we keep of a connection, by the methods of its driver; ours are still to be put in. */
pdo_pool_conn *pdo_pool_conn_create(const pdo_dbh_t *dbh, const struct pdo_dbh_methods *driver, uint32_t capacity);
void pdo_pool_conn_free(pdo_pool_conn *conn);

/* Takes notice of what SQL did that names depend on; `effects` are from sql.h. After the execution. */
void pdo_pool_note_effects(pdo_pool_conn *conn, PGconn *server, uint32_t effects);

/* The schema has changed: a name is good only once it has been executed again. */
void pdo_pool_doubt_all(pdo_pool_conn *conn);

/* All names are gone, who knows why. */
void pdo_pool_forget(pdo_pool_conn *conn);

/* pooler.c: whether the next statement may reach another server process. May ask the server, once. */
bool pdo_pool_behind_pooler(pdo_pool_conn *conn, PGconn *server);

/* garbage.c: one round trip where a batch of names is to be forgotten and no transaction is open; else nothing. */
void pdo_pool_collect_garbage(pdo_pool_conn *conn, PGconn *server);

/* How many uses an entry starts with again when it is to get a name at the next one. */
zend_ulong pdo_pool_uses_before_name(void);

/* stmt.c: makes our methods of statements from the driver's. */
void pdo_pool_take_stmt_methods(const struct pdo_stmt_methods *driver);

/* error.c: a copy without the line breaks, and the full stop before them, that libpq's messages end with. */
char *pdo_pool_trimmed(const char *message, bool persistent);

/* error.c: as pdo_pgsql reports a failed result; its SQLSTATE and message. */
void pdo_pool_stmt_error(pdo_stmt_t *stmt, const PGresult *result);
void pdo_pool_dbh_error(pdo_dbh_t *dbh, const PGresult *result);
/* The same, of what we do not do. */
void pdo_pool_dbh_fail(pdo_dbh_t *dbh, const char *sqlstate, const char *message);

/* error.c: whether the result is this error, of this function of the server where it says which. */
bool pdo_pool_raised_by(const PGresult *result, const char *sqlstate, const char *function);

/* error.c: whether a statement may have failed, before it did anything, for the types of its parameters: a name keeps
 * those that it was prepared with, although columns have got others. */
bool pdo_pool_may_be_for_types(const PGresult *result);

/* stats.c */
void pdo_pool_log(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);

#endif
