//! `zts`: compiles a PHP with threads if that was not done yet, and prints its path.

use std::process::ExitCode;
use testbed::{Cache, Error, Kind, Release, Toolchain, source};

fn main() -> ExitCode {
    match toolchain() {
        Ok(toolchain) => {
            println!("{}", toolchain.php().display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("zts: {error}");
            ExitCode::FAILURE
        }
    }
}

fn toolchain() -> Result<Toolchain, Error> {
    let cache = Cache::of_user()?;
    let sources = source(&cache, Release::Trixie, "php8.4")?;
    Toolchain::compiled(&cache, &sources, Kind::ZtsEmbed)
}
