/* What one connection knows of the SQL that was executed on it.
 *
 * Two lists, each ordered by last use and bounded by the capacity: what the server has prepared under a name, and what
 * was seen but has no name. So SQL that is used once never costs a name that is used often. */

#ifndef PDO_POOL_CACHE_H
#define PDO_POOL_CACHE_H

#include <libpq-fe.h>

#include "php_pdo_pool.h"

/* pp_, 24 hexadecimal digits, _, 8 more, and the end */
#define PDO_POOL_NAME_SIZE 37

/* Longer SQL is never kept: 256 statements then stay below 16 MiB. */
#define PDO_POOL_SQL_MAX (64 * 1024)

/* Names that the server may forget, told in one round trip. */
#define PDO_POOL_GARBAGE_MAX 64
#define PDO_POOL_GARBAGE_BATCH 16

typedef struct _pdo_pool_entry pdo_pool_entry;

struct _pdo_pool_entry {
	pdo_pool_entry *next; /* in its bucket */
	zend_string *sql;
	zend_ulong hash;
	uint32_t param_count;
	bool named;
	Oid *types;            /* NULL: all are left to the server */
	uint32_t epoch;        /* of the schema, when the name was last known to be good; 0: has no name */
	uint8_t columns_tag;   /* of this name: tells it from the others that this SQL had on the connection; 0: does not */
	zend_ulong uses;       /* without a name */
	pdo_pool_entry *newer, *older;
	char name[PDO_POOL_NAME_SIZE];
};

typedef struct {
	pdo_pool_entry *newest, *oldest;
	uint32_t count;
} pdo_pool_list;

typedef struct {
	pdo_pool_entry **buckets; /* a single one that is empty until the first statement */
	uint32_t mask;
	uint32_t capacity;
	bool persistent;
	pdo_pool_list named, seen;
	zend_ulong version; /* from 1; one more whenever a name that was good may be so no longer */
	uint32_t garbage_count;
	char garbage[PDO_POOL_GARBAGE_MAX][PDO_POOL_NAME_SIZE];
} pdo_pool_cache;

void pdo_pool_cache_init(pdo_pool_cache *cache, uint32_t capacity, bool persistent);
void pdo_pool_cache_destroy(pdo_pool_cache *cache);

/* Gives up the names over the new capacity. */
void pdo_pool_cache_resize(pdo_pool_cache *cache, uint32_t capacity);

/* A new entry in `seen`; the oldest one there gives way. */
pdo_pool_entry *pdo_pool_cache_add(pdo_pool_cache *cache, zend_string *sql, uint32_t param_count, const Oid *types);

/* Moves a seen entry to the named ones. False where no name can be given up at the moment. Begins a new `generation`
 * where the server is still to forget the name that this one would have. */
bool pdo_pool_cache_name(pdo_pool_cache *cache, pdo_pool_entry *entry, uint32_t *generation);

/* Takes the name away, and keeps the entry as seen; `uses` is what it then counts as. `on_server`: the server still has
 * it. False, and nothing done, where no more names can be given up at the moment. */
bool pdo_pool_cache_unname(pdo_pool_cache *cache, pdo_pool_entry *entry, bool on_server, zend_ulong uses);

/* All names are gone from the server. */
void pdo_pool_cache_forget(pdo_pool_cache *cache, zend_ulong uses);

void pdo_pool_list_touch(pdo_pool_list *list, pdo_pool_entry *entry);

/* name.c: the name of an entry. It depends on SQL and types alone; `generation` tells apart those of one connection. */
void pdo_pool_name(char name[PDO_POOL_NAME_SIZE], const pdo_pool_entry *entry, uint32_t generation);

static zend_always_inline bool pdo_pool_entry_takes(const pdo_pool_entry *entry, uint32_t param_count, const Oid *types)
{
	Oid any = 0;
	uint32_t i;

	if (entry->param_count != param_count) {
		return false;
	}
	if (UNEXPECTED(entry->types)) {
		return types && !memcmp(types, entry->types, param_count * sizeof(Oid));
	}
	for (i = 0; types && i < param_count; i++) {
		any |= types[i];
	}
	return !any;
}

/* NULL where it was not seen, or so long ago that it was forgotten. */
static zend_always_inline pdo_pool_entry *pdo_pool_cache_find(
	const pdo_pool_cache *cache, zend_string *sql, uint32_t param_count, const Oid *types)
{
	zend_ulong hash = ZSTR_HASH(sql);
	pdo_pool_entry *entry;

	for (entry = cache->buckets[hash & cache->mask]; entry; entry = entry->next) {
		if ((entry->sql == sql || (entry->hash == hash && zend_string_equal_content(entry->sql, sql)))
				&& pdo_pool_entry_takes(entry, param_count, types)) {
			return entry;
		}
	}
	return NULL;
}

#endif
