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
 * With a pool (PDO::ATTR_POOL_ENABLED): its connections, who waits for one, and what has happened so far.
 *
 * @return ($pdo is null
 *     ? array{hits: int, misses: int, unnamed: int, evictions: int, reprepares: int, retries: int, reused: int,
 *             connections: int, poolers: int}
 *     : array{cached: bool, capacity?: int, named?: int, seen?: int, to_deallocate?: int,
 *             route?: 'unknown'|'direct'|'pooled'}
 *     | array{open: int, idle: int, in_use: int, waiting: int, opened: int, broken: int, waits: int,
 *             wait_time: float, timeouts: int, rollbacks: int, resets: int, blocking: int, blocking_time: float, min: int, max: int, cached: bool, capacity: int})
 */
function pdo_pool_stats(?PDO $pdo = null): array {}

/**
 * Calls the tasks, each in a fiber of its own: while one waits for a connection of a pool, the others run.
 *
 * The extension also adds constants to PDO: ATTR_POOL_ENABLED, ATTR_POOL_MIN, ATTR_POOL_MAX, ATTR_POOL_STMT_CACHE_SIZE,
 * ATTR_POOL_ACQUIRE_TIMEOUT, ATTR_POOL_IDLE_TIMEOUT, ATTR_POOL_MAX_LIFETIME, ATTR_POOL_HEALTH_CHECK, ATTR_POOL_RESET.
 *
 * @return array what they returned, by the keys that they were given under
 * @throws Throwable the first that one of them threw, when all have ended
 */
function pdo_pool_run(callable ...$tasks): array {}
