#include "cache.h"

/* Never written to: whoever adds an entry has buckets of its own. */
static pdo_pool_entry *no_entries[1];

static void list_remove(pdo_pool_list *list, pdo_pool_entry *entry)
{
	if (entry->newer) {
		entry->newer->older = entry->older;
	} else {
		list->newest = entry->older;
	}
	if (entry->older) {
		entry->older->newer = entry->newer;
	} else {
		list->oldest = entry->newer;
	}
	list->count--;
}

static void list_add(pdo_pool_list *list, pdo_pool_entry *entry)
{
	entry->newer = NULL;
	entry->older = list->newest;
	if (list->newest) {
		list->newest->newer = entry;
	} else {
		list->oldest = entry;
	}
	list->newest = entry;
	list->count++;
}

void pdo_pool_list_touch(pdo_pool_list *list, pdo_pool_entry *entry)
{
	list_remove(list, entry);
	list_add(list, entry);
}

static void entry_free(pdo_pool_cache *cache, pdo_pool_entry *entry)
{
	zend_string_release_ex(entry->sql, cache->persistent);
	if (entry->types) {
		pefree(entry->types, cache->persistent);
	}
	pefree(entry, cache->persistent);
}

static void drop(pdo_pool_cache *cache, pdo_pool_entry *entry)
{
	pdo_pool_entry **link = &cache->buckets[entry->hash & cache->mask];

	while (*link != entry) {
		link = &(*link)->next;
	}
	*link = entry->next;
	list_remove(entry->named ? &cache->named : &cache->seen, entry);
	cache->version += entry->named;
	entry_free(cache, entry);
}

static bool discard_name(pdo_pool_cache *cache, const pdo_pool_entry *entry)
{
	if (cache->garbage_count == PDO_POOL_GARBAGE_MAX) {
		return false;
	}
	memcpy(cache->garbage[cache->garbage_count++], entry->name, PDO_POOL_NAME_SIZE);
	return true;
}

static bool evict_oldest_name(pdo_pool_cache *cache)
{
	pdo_pool_entry *oldest = cache->named.oldest;

	if (!discard_name(cache, oldest)) {
		return false;
	}
	drop(cache, oldest);
	PDO_POOL_COUNT(evictions);
	return true;
}

void pdo_pool_cache_init(pdo_pool_cache *cache, uint32_t capacity, bool persistent)
{
	memset(cache, 0, offsetof(pdo_pool_cache, garbage));
	cache->buckets = no_entries;
	cache->capacity = capacity;
	cache->persistent = persistent;
	cache->version = 1;
}

static void free_list(pdo_pool_cache *cache, pdo_pool_list *list)
{
	pdo_pool_entry *entry, *older;

	for (entry = list->newest; entry; entry = older) {
		older = entry->older;
		entry_free(cache, entry);
	}
}

void pdo_pool_cache_destroy(pdo_pool_cache *cache)
{
	free_list(cache, &cache->named);
	free_list(cache, &cache->seen);
	if (cache->buckets != no_entries) {
		pefree(cache->buckets, cache->persistent);
		cache->buckets = no_entries;
	}
}

void pdo_pool_cache_resize(pdo_pool_cache *cache, uint32_t capacity)
{
	cache->capacity = capacity;
	while (cache->seen.count > capacity) {
		drop(cache, cache->seen.oldest);
	}
	while (cache->named.count > capacity && evict_oldest_name(cache)) {
	}
}

static void buckets_allocate(pdo_pool_cache *cache)
{
	uint32_t size = 16;

	while (size < 2 * cache->capacity) {
		size *= 2;
	}
	cache->buckets = pecalloc(size, sizeof(*cache->buckets), cache->persistent);
	cache->mask = size - 1;
}

pdo_pool_entry *pdo_pool_cache_add(pdo_pool_cache *cache, zend_string *sql, uint32_t param_count, const Oid *types)
{
	pdo_pool_entry *entry;
	uint32_t i;

	if (cache->buckets == no_entries) {
		buckets_allocate(cache);
	}
	while (cache->seen.count >= cache->capacity) {
		drop(cache, cache->seen.oldest);
	}
	entry = pecalloc(1, sizeof(*entry), cache->persistent);
	entry->hash = ZSTR_HASH(sql);
	if (cache->persistent) {
		/* The string may belong to the request, or to a compiled script that opcache replaces. */
		entry->sql = zend_string_init(ZSTR_VAL(sql), ZSTR_LEN(sql), true);
	} else {
		entry->sql = zend_string_copy(sql);
	}
	entry->param_count = param_count;
	for (i = 0; types && i < param_count; i++) {
		if (types[i]) {
			entry->types = safe_pemalloc(param_count, sizeof(Oid), 0, cache->persistent);
			memcpy(entry->types, types, param_count * sizeof(Oid));
			break;
		}
	}
	entry->next = cache->buckets[entry->hash & cache->mask];
	cache->buckets[entry->hash & cache->mask] = entry;
	list_add(&cache->seen, entry);
	return entry;
}

static bool is_discarded(const pdo_pool_cache *cache, const char *name)
{
	uint32_t i;

	for (i = 0; i < cache->garbage_count; i++) {
		if (!strcmp(cache->garbage[i], name)) {
			return true;
		}
	}
	return false;
}

bool pdo_pool_cache_name(pdo_pool_cache *cache, pdo_pool_entry *entry, uint32_t *generation)
{
	while (cache->named.count >= cache->capacity) {
		if (!evict_oldest_name(cache)) {
			return false;
		}
	}
	list_remove(&cache->seen, entry);
	list_add(&cache->named, entry);
	entry->named = true;
	pdo_pool_name(entry->name, entry, *generation);
	if (is_discarded(cache, entry->name)) {
		pdo_pool_name(entry->name, entry, ++*generation);
	}
	entry->columns_tag = *generation < UINT8_MAX && !entry->types ? (uint8_t) *generation + 1 : 0;
	return true;
}

bool pdo_pool_cache_unname(pdo_pool_cache *cache, pdo_pool_entry *entry, bool on_server, zend_ulong uses)
{
	if (on_server && !discard_name(cache, entry)) {
		return false;
	}
	list_remove(&cache->named, entry);
	entry->named = false;
	cache->version++;
	entry->epoch = 0;
	entry->uses = uses;
	while (cache->seen.count >= cache->capacity) {
		drop(cache, cache->seen.oldest);
	}
	list_add(&cache->seen, entry);
	return true;
}

void pdo_pool_cache_forget(pdo_pool_cache *cache, zend_ulong uses)
{
	while (cache->named.oldest) {
		pdo_pool_cache_unname(cache, cache->named.oldest, false, uses);
	}
	cache->garbage_count = 0;
}
