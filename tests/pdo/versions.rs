//! The same under other versions of PHP, and under PHP that is compiled otherwise than packages are.
//!
//! Roots and builds are made once, in minutes, and kept in the user's cache.

use crate::{
    chaos, php_src, phpt,
    support::{build, or_skip},
};
use testbed::{Cache, Error, Kind, Place, Release, Toolchain, source};

fn cache() -> Cache {
    Cache::of_user().unwrap()
}

/// php-src's tests, from the sources in this package of the release, and its own.
fn all(toolchain: Result<Toolchain, Error>, release: Release, package: &str) {
    let Some(toolchain) = or_skip(toolchain) else {
        return;
    };
    let extension = build(&toolchain);
    if let Some(tree) = or_skip(source(&cache(), release, package)) {
        php_src::compare(&toolchain, &extension, &tree);
    }
    phpt::pass(&toolchain, &extension);
    if toolchain.place() == &Place::here() {
        chaos::watched(&toolchain, &extension, &[], 9);
    }
}

pub fn toolchain(kind: Kind) -> Result<Toolchain, Error> {
    let sources = source(&cache(), Release::Trixie, "php8.4")?;
    Toolchain::compiled(&cache(), &sources, kind)
}

fn compiled(kind: Kind) {
    all(toolchain(kind), Release::Trixie, "php8.4");
}

#[test]
#[ignore = "makes a root of another release: make test-php-versions"]
fn php_8_1() {
    all(
        Toolchain::of_release(&cache(), Release::Jammy, "8.1"),
        Release::Jammy,
        "php8.1",
    );
}

#[test]
#[ignore = "makes a root of another release: make test-php-versions"]
fn php_8_3() {
    all(
        Toolchain::of_release(&cache(), Release::Noble, "8.3"),
        Release::Noble,
        "php8.3",
    );
}

#[test]
#[ignore = "makes a root of another release: make test-php-versions"]
fn php_8_4() {
    all(
        Toolchain::of_release(&cache(), Release::Trixie, "8.4"),
        Release::Trixie,
        "php8.4",
    );
}

#[test]
#[ignore = "makes a root of another release: make test-php-versions"]
fn php_8_5() {
    all(
        Toolchain::of_release(&cache(), Release::Resolute, "8.5"),
        Release::Resolute,
        "php8.5",
    );
}

#[test]
#[ignore = "makes a root of another release: make test-php-versions"]
fn php_8_6() {
    all(
        Toolchain::of_release(&cache(), Release::Experimental, "8.6"),
        // As long as its own sources are not where its packages are: the tests of the version before.
        Release::Resolute,
        "php8.5",
    );
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn php_8_4_with_threads() {
    compiled(Kind::Zts);
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn php_8_4_with_checks_of_addresses() {
    compiled(Kind::Asan);
}
