//! The extension `pdo_pool` in a real world: PHP, `PostgreSQL`, `PgBouncer`, `MariaDB`, FPM.
//!
//! What needs minutes or other PHP versions is ignored here; `make test-php-versions` runs it.

mod chaos;
mod fpm;
mod frameworks;
mod packaging;
mod php_src;
mod phpt;
mod pooler;
mod reuse;
mod support;
mod threads;
mod tls;
mod versions;
