//! What is told of the request behind the frames.

use crate::{
    Phpspy, WITHIN,
    support::{cli, script},
};
use std::fs;

#[test]
fn the_request_and_the_memory_stand_behind_the_frames() {
    let phpspy = Phpspy::new();
    let target = script(
        phpspy.folder.path(),
        "<?php echo \"ready\\n\", memory_get_usage(), \"\\n\"; sleep(600);",
    );
    let pid = target.pid().to_string();
    let ran = phpspy.run(&["-l", "1", "-m", "-rup", "-p", &pid]);
    let fields: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with('#')).collect();
    let path = format!("# path = {}", phpspy.folder.path().join("script.php").display());
    // All five stand there, whichever are asked for.
    let expected = ["# uri = -", &path, "# qstring = -", "# cookie = -"];
    assert_eq!(fields[..4], expected, "{}", ran.stdout);
    assert!(fields[4].starts_with("# ts = "), "{}", ran.stdout);
    let memory: Vec<u64> = fields[5]
        .strip_prefix("# mem ")
        .unwrap_or_else(|| panic!("{}", ran.stdout))
        .split(' ')
        .map(|bytes| bytes.parse().unwrap())
        .collect();
    assert!(
        matches!(memory[..], [used, peak] if used > 100_000 && used <= peak),
        "{memory:?}"
    );
    assert_eq!(fields.len(), 6, "{}", ran.stdout);
}

#[test]
fn when_a_request_began_is_told_to_the_microsecond() {
    let phpspy = Phpspy::new();
    let code = "$began = $_SERVER['REQUEST_TIME_FLOAT']; printf(\"ready\\nbegan %.6f\\n\", $began);";
    let mut target = script(phpspy.folder.path(), &format!("<?php {code} sleep(600);"));
    let began = target.line_after("began ", WITHIN).unwrap();
    let ran = phpspy.run(&["-l", "1", "-r", "p", "-p", &target.pid().to_string()]);
    let expected = format!("# ts = {began}");
    assert!(
        ran.stdout.lines().any(|line| line == expected),
        "{began}: {}",
        ran.stdout
    );
    // The kernel source tells it too.
    let wait = "$end = hrtime(true) + 3e8; while (hrtime(true) < $end) { md5('x'); }";
    let php = cli().path.display().to_string();
    let ran = phpspy.run(&[
        "-H",
        "499",
        "-O",
        "out",
        "-r",
        "p",
        "--",
        &php,
        "-r",
        &format!("{code} {wait}"),
    ]);
    let told = fs::read_to_string(phpspy.file("out")).unwrap();
    let expected = format!(
        "# ts = {}",
        told.lines().find_map(|line| line.strip_prefix("began ")).unwrap()
    );
    assert!(
        ran.stdout.lines().any(|line| line == expected),
        "{expected}: {}",
        ran.stdout
    );
}
