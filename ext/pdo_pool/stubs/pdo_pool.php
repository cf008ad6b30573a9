<?php

// For IDEs and static analysis: what the extension pdo_pool adds. Never loaded by PHP.

/**
 * Without an argument: what the cache has done in this process (with ZTS: in this thread) since it started.
 *
 * - hits: executed by a name that was there
 * - misses: prepared under a name, then executed
 * - unnamed: executed without a name, in one round trip
 * - evictions: names given up for lack of room
 * - reprepares: names given up because they were stale or lost
 * - retries: of those, executed again at once, so that the application noticed nothing
 * - reused: statement objects handed out again
 * - connections: connections whose statements are cached
 * - poolers: of those, connections behind a pooler
 *
 * With a connection: what it holds now. Everything but `cached` is there only where `cached` is true.
 *
 * @return ($pdo is null
 *     ? array{hits: int, misses: int, unnamed: int, evictions: int, reprepares: int, retries: int, reused: int,
 *             connections: int, poolers: int}
 *     : array{cached: bool, capacity?: int, named?: int, seen?: int, to_deallocate?: int,
 *             route?: 'unknown'|'direct'|'pooled'})
 */
function pdo_pool_stats(?PDO $pdo = null): array {}
