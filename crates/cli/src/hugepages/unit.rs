//! A systemd unit that brings a copy back onto huge pages after a reboot.

use super::change;
use crate::args::hugepages::Apply;
use anyhow::{Context, Result, bail};
use std::{env, fs, path::Path};
use tune::change::Change;

/// For a copy on a disk, which is only read in again.
pub fn on_disk(copy: &Path) -> Result<String> {
    let copy = fs::canonicalize(copy).with_context(|| format!("cannot find {}", copy.display()))?;
    text(&["warm", &word(&copy)?], &copy)
}

/// For a copy in memory, which has to be made again.
pub fn in_memory(binary: &Path, folder: &Path) -> Result<String> {
    let binary = fs::canonicalize(binary).with_context(|| format!("cannot find {}", binary.display()))?;
    let folder = fs::canonicalize(folder).with_context(|| format!("cannot find {}", folder.display()))?;
    text(
        &["apply", &word(&binary)?, "--tmpfs", &word(&folder)?, "--yes"],
        &binary,
    )
}

/// Whether it can be, said before a copy is made that it is for.
pub fn can_be_written(asked: &Apply) -> Result<()> {
    let Some(path) = &asked.unit else {
        return Ok(());
    };
    for name in [&asked.output, &asked.tmpfs].into_iter().flatten() {
        word(name)?;
    }
    if path.as_os_str() != "-" && path.symlink_metadata().is_ok() {
        bail!(tune::Error::InTheWay(path.clone()));
    }
    Ok(())
}

/// Writes it where it was asked for.
pub fn write(asked: &Apply, text: &str) -> Result<()> {
    let Some(path) = &asked.unit else {
        return Ok(());
    };
    if path.as_os_str() == "-" {
        print!("{text}");
        return Ok(());
    }
    let path = std::path::absolute(path).context("cannot tell where the unit is to be")?;
    change::note(Change::File {
        path: path.clone(),
        text: text.to_owned(),
    })?;
    println!(
        "wrote {}; `systemctl enable {}` lets it run at each start",
        path.display(),
        { path.file_name().unwrap_or_default().to_string_lossy() }
    );
    Ok(())
}

fn text(arguments: &[&str], php: &Path) -> Result<String> {
    let own = env::current_exe().context("cannot tell where phperf is")?;
    Ok(format!(
        "[Unit]\n\
         Description=PHP's code on huge pages\n\
         Before={} apache2.service\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         RemainAfterExit=yes\n\
         ExecStart={} hugepages {}\n\
         \n\
         [Install]\n\
         WantedBy=multi-user.target\n",
        services(php),
        word(&own)?,
        arguments.join(" "),
    ))
}

/// Debian's service for `php-fpm8.2` is `php8.2-fpm`; others have `php-fpm`.
fn services(php: &Path) -> String {
    let name = php.file_name().unwrap_or_default().to_string_lossy();
    let version: String = name
        .strip_prefix("php-fpm")
        .unwrap_or_default()
        .chars()
        .take_while(|&c| c.is_ascii_digit() || c == '.')
        .collect();
    if version.is_empty() {
        "php-fpm.service".into()
    } else {
        format!("php{version}-fpm.service php-fpm.service")
    }
}

/// A word of a command line as systemd reads it.
fn word(path: &Path) -> Result<String> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control));
    let Some(text) = text else {
        bail!(
            "{} cannot stand in a systemd unit: take a name of plain UTF-8, without line ends",
            path.display()
        );
    };
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%")
        .replace('$', "$$");
    let is_quoted = escaped.contains(|c: char| c.is_whitespace() || "\"'\\;".contains(c));
    Ok(if is_quoted {
        format!("\"{escaped}\"")
    } else {
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_called_as_debian_does() {
        assert_eq!(
            services(Path::new("/usr/local/sbin/php-fpm8.2-huge")),
            "php8.2-fpm.service php-fpm.service"
        );
        assert_eq!(services(Path::new("/usr/bin/php")), "php-fpm.service");
    }

    #[test]
    fn words_are_as_systemd_reads_them() {
        let word = |path: &str| word(Path::new(path));
        assert_eq!(word("/opt/a b%c").unwrap(), "\"/opt/a b%%c\"");
        assert_eq!(word("/usr/bin/php8.2").unwrap(), "/usr/bin/php8.2");
        // It would be a line of its own.
        assert!(word("/opt/a\nExecStartPre=/bin/b").is_err());
    }
}
