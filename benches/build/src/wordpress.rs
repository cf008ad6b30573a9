//! `WordPress` with thirty posts, and the database that it needs.

use crate::debian::{Debian, run};
use anyhow::Result;
use std::fs;
use testbed::MariaDb;

const CONFIGURATION: &str = include_str!("../php/wordpress-config.php");
const INSTALL: &str = include_str!("../php/wordpress.php");

/// Installs it anew. It works as long as the database runs.
pub fn install(debian: &Debian) -> Result<MariaDb> {
    let database = MariaDb::start()?;
    database.query("CREATE DATABASE wordpress")?;
    let socket = Debian::shared(&database.socket());
    fs::create_dir_all(debian.outside("/etc/wordpress"))?;
    fs::write(
        debian.outside("/etc/wordpress/config-default.php"),
        CONFIGURATION.replace("SOCKET", &socket.to_string_lossy()),
    )?;
    fs::write(debian.outside("/srv/install-wordpress.php"), INSTALL)?;
    run(debian.command("php8.2").arg("/srv/install-wordpress.php"))?;
    Ok(database)
}
