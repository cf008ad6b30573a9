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
