//! What was found, for programs. Sizes are bytes.

use super::status::name_of;
use serde_json::{Value, json};
use tune::status::{FileStatus, LargeFolios, ProcessStatus, Status};

/// All of it.
pub fn status(status: &Status) -> Value {
    let kernel = &status.kernel;
    let advice = status.advice();
    json!({
        "kernel": {
            "release": kernel.name,
            "transparent": kernel.enabled,
            "defrag": kernel.defrag,
            "shared": kernel.shared,
            "read_only_files": kernel.read_only_files,
            "pool": {
                "total": kernel.pool.total,
                "free": kernel.pool.free,
                "reserved": kernel.pool.reserved,
            },
        },
        "processes": status.processes.iter().map(process).collect::<Vec<_>>(),
        "unreadable": status.unreadable,
        "files": status.files.iter().map(file).collect::<Vec<_>>(),
        "attempt": status.attempt.as_ref().map(|attempt| json!({
            "process": process(&attempt.process),
            "pool_free": attempt.pool.map(|pool| pool.free),
        })),
        "advice": { "sentence": advice.sentence, "command": advice.command },
    })
}

fn process(process: &ProcessStatus) -> Value {
    json!({
        "pid": process.pid,
        "command": process.title,
        "binary": process.path.to_string_lossy(),
        "deleted": process.deleted,
        "text": process.text,
        "huge": process.huge,
        "exact": process.is_exact,
        "by": process.ways.iter().map(|&way| name_of(way)).collect::<Vec<_>>(),
        "copied": process.copied,
        "switched_off": process.is_switched_off,
        "opcache": process.opcache.map(|memory| json!({
            "size": memory.size,
            "resident": memory.resident,
            "huge": memory.huge,
        })),
        "heap": { "resident": process.heap.resident, "huge": process.heap.huge },
    })
}

fn file(file: &FileStatus) -> Value {
    let (least, most) = file.by_opcache();
    json!({
        "binary": file.path.to_string_lossy(),
        "deleted": file.deleted,
        "elsewhere": file.is_elsewhere,
        "text": file.size(),
        "alignment": file.alignment,
        "laid_out": file.is_laid_out(),
        "possible": file.plan.as_ref().ok().map(|plan| plan.on_huge_pages(&file.code)),
        "why_not": file.plan.as_ref().err().map(ToString::to_string),
        "cached": file.cached.map(|cached| json!({ "resident": cached.resident, "huge": cached.huge })),
        "file_system": file.place.kind,
        "large_folios": match file.large_folios {
            LargeFolios::Yes => json!(true),
            LargeFolios::WithOption | LargeFolios::Since(_) => json!(false),
            LargeFolios::Unknown => Value::Null,
        },
        "by_opcache": [least, most],
    })
}
