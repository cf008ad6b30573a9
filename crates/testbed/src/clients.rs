//! Several clients of a pooler at once, each of which knows what it has to be answered.

use crate::{Error, Postgres};
use php::{Binary, Ini, Launch, Script, workload};
use serde_json::Value;
use std::time::Duration;

const DATABASE: &str = "clients";
const LIMIT: Duration = Duration::from_secs(300);

/// How many clients, and what each of them does.
#[derive(Clone, Copy, Debug)]
pub struct Clients {
    /// Clients.
    pub count: u64,
    /// Statements of each, outside of transactions.
    pub statements: u64,
    /// Transactions of each.
    pub transactions: u64,
}

impl Default for Clients {
    fn default() -> Self {
        Self {
            count: 6,
            statements: 300,
            transactions: 100,
        }
    }
}

/// What became of what they asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Statements and transactions with the answers that are due.
    pub right: u64,
    /// With other answers.
    pub wrong: u64,
    /// With an error.
    pub lost: u64,
    /// Rows that the transactions left in the database, one each.
    pub written: u64,
    /// The errors, each once.
    pub errors: Vec<String>,
}

impl Clients {
    /// Makes the database that they use anew; its name.
    pub fn database(server: &Postgres) -> Result<&'static str, Error> {
        server.query(
            "postgres",
            &format!("DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)"),
        )?;
        server.create_database(DATABASE)?;
        server.query(
            DATABASE,
            "CREATE TABLE item AS SELECT i AS id, 'item ' || i AS name FROM generate_series(1, 100) i; \
             CREATE TABLE written (client int, number int)",
        )?;
        Ok(DATABASE)
    }

    /// Statements and transactions of all of them.
    pub const fn asked(&self) -> u64 {
        self.count * (self.statements + self.transactions)
    }

    /// All of them at once, over `dsn`, which leads to their database in `server`.
    pub fn run(&self, server: &Postgres, dsn: &str, ini: &Ini) -> Result<Answers, Error> {
        server.query(DATABASE, "TRUNCATE written")?;
        let php = Binary::cli()?;
        let mut clients = Vec::new();
        for seed in 0..self.count {
            let arguments = [seed, self.statements, self.transactions].map(|number| number.to_string());
            let client = Launch::new(&php, workload("pdo/clients.php"))
                .ini(ini.clone())
                .arg(dsn)
                .args(arguments)
                .ready()?;
            clients.push(client);
        }
        for client in &mut clients {
            client.say("go")?;
        }
        let mut answers = Answers::default();
        for client in &mut clients {
            answers.add(client)?;
        }
        answers.errors.sort();
        answers.errors.dedup();
        let rows = server.query(DATABASE, "SELECT count(*) FROM written")?;
        answers.written = rows.concat().parse().unwrap_or(0);
        Ok(answers)
    }
}

impl Answers {
    fn add(&mut self, client: &mut Script) -> Result<(), Error> {
        let line = client.line_after("said ", LIMIT)?;
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        let number = |name: &'static str| {
            said[name].as_u64().ok_or(Error::Unreadable {
                path: workload("pdo/clients.php"),
                what: name,
            })
        };
        self.right += number("right")?;
        self.wrong += number("wrong")?;
        self.lost += number("lost")?;
        let errors = said["errors"].as_array().into_iter().flatten();
        self.errors.extend(errors.map(ToString::to_string));
        Ok(())
    }
}
