/* What users of a connection leave behind on it, beside names: settings, temporary tables, advisory locks, … */

#ifndef PDO_POOL_SESSION_H
#define PDO_POOL_SESSION_H

/* As DISCARD ALL, but for statements that are prepared and their plans. Good in one simple query, outside of a
 * transaction or behind a ROLLBACK. */
#define PDO_POOL_SESSION_CLEAN \
	"CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); " \
	"DISCARD TEMP; DISCARD SEQUENCES"

/* What that does to names. */
#define PDO_POOL_SESSION_EFFECTS PDO_POOL_SQL_SCHEMA

#endif
