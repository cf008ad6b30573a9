<?php

/** @generate-class-entries */

/**
 * What the cache has done in this process (with ZTS: in this thread) since it started.
 *
 * With a connection: what that connection holds now.
 *
 * @return array<string, int|string|bool>
 */
function pdo_pool_stats(?PDO $pdo = null): array {}

/**
 * Calls the tasks, each in a fiber of its own: while one waits for a connection of a pool, the others run.
 *
 * @return array what they returned, by the keys that they were given under
 * @throws Throwable the first that one of them threw, when all have ended
 */
function pdo_pool_run(callable ...$tasks): array {}
