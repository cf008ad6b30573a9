//! `compiled KIND`: compiles a PHP in a way that no package has it, if that was not done yet, and prints its path.

use std::{env, process::ExitCode};
use testbed::{Cache, Error, Kind, Release, Toolchain, source};

fn main() -> ExitCode {
    let wanted = env::args().nth(1).unwrap_or_default();
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == wanted) else {
        let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        eprintln!("usage: compiled {}", known.join("|"));
        return ExitCode::from(2);
    };
    match toolchain(kind) {
        Ok(toolchain) => {
            println!("{}", toolchain.php().display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("compiled: {error}");
            ExitCode::FAILURE
        }
    }
}

fn toolchain(kind: Kind) -> Result<Toolchain, Error> {
    let cache = Cache::of_user()?;
    let sources = source(&cache, Release::Trixie, "php8.4")?;
    Toolchain::compiled(&cache, &sources, kind)
}
