/* What a piece of SQL does that names depend on. */

#ifndef PDO_POOL_SQL_H
#define PDO_POOL_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One statement that is worth a name: a query, or a change of rows. */
#define PDO_POOL_SQL_CACHEABLE 1u
/* Tables may look different, or other tables be found, from now on. */
#define PDO_POOL_SQL_SCHEMA 2u
/* A transaction, or a part of one, ends. */
#define PDO_POOL_SQL_ENDS 4u
/* The server forgets names of ours. */
#define PDO_POOL_SQL_FORGETS 8u
/* The application makes a name of its own. */
#define PDO_POOL_SQL_NAMES 16u

/* Of all the statements in `sql`, which ends with a NUL byte. What functions do is not seen. */
uint32_t pdo_pool_sql_effects(const char *sql, size_t length);

/* Whether it inserts, or asks a sequence for a value. What functions and triggers do is not seen. */
bool pdo_pool_sql_draws(const char *sql, size_t length);

#endif
