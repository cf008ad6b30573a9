# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_phperf_global_optspecs
    string join \n h/help V/version
end

function __fish_phperf_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_phperf_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_phperf_using_subcommand
    set -l cmd (__fish_phperf_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c phperf -n "__fish_phperf_needs_command" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_needs_command" -s V -l version -d 'Print version'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "top" -d 'Watch live where running PHP spends its time'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "trace" -d 'Print each stack as it comes, as phpspy does'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "dump" -d 'Print the stacks of processes as they are now, with lines'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "report" -d 'Show the hottest functions of a saved profile'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "diff" -d 'Compare two saved profiles, function by function'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "convert" -d 'Write a saved profile in another format'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "bench" -d 'Measure PHP code: benchmark suites, as they are'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "compare" -d 'Tell whether one command, or address, is faster than another'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "hugepages" -d 'Put PHP\'s code on huge pages, and tell how much of it lies there'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "build" -d 'Build a PHP that is trained on your own load, and measure what it gains'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "swap" -d 'Put another php-fpm under a master that runs, without a failed request; or the old one back'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "record" -d 'Sample the stacks of running PHP into a flame graph or another format'
complete -c phperf -n "__fish_phperf_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c phperf -n "__fish_phperf_using_subcommand top" -s p -l pid -d 'A process; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand top" -s P -l pattern -d 'Every PHP process whose name is this or whose command line contains it, those that come later too' -r
complete -c phperf -n "__fish_phperf_using_subcommand top" -l fpm -d 'The workers of PHP-FPM, of all pools or of one; those that come and go included' -r
complete -c phperf -n "__fish_phperf_using_subcommand top" -s H -l rate -d 'Samples a second, of each process' -r
complete -c phperf -n "__fish_phperf_using_subcommand top" -l max-depth -d 'Frames to keep of a stack, the innermost ones; what is cut is counted' -r
complete -c phperf -n "__fish_phperf_using_subcommand top" -l source -d 'Where stacks come from: the kernel (eBPF) takes them without disturbing anything, the reader works without privileges' -r -f -a "auto\t'The kernel where it is permitted, else the reader'
kernel\t'The kernel or nothing'
reader\t'The reader'"
complete -c phperf -n "__fish_phperf_using_subcommand top" -s w -l window -d 'Show what was seen in the last so many seconds' -r
complete -c phperf -n "__fish_phperf_using_subcommand top" -l waits -d 'Say for what a sample waits: labels with the system call, and the file or the other end of the connection'
complete -c phperf -n "__fish_phperf_using_subcommand top" -l request -d 'Tell requests apart, by method and URI: a table of them, and the functions of one'
complete -c phperf -n "__fish_phperf_using_subcommand top" -l native -d 'Show what C code PHP\'s functions run, and what calls them: of PHP itself, of libraries, of the kernel. Takes root or the capabilities of the kernel source'
complete -c phperf -n "__fish_phperf_using_subcommand top" -s q -l quiet -d 'Print no account at the end'
complete -c phperf -n "__fish_phperf_using_subcommand top" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s p -l pid -d 'A process; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s P -l pattern -d 'Every PHP process whose name is this or whose command line contains it, those that come later too' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l fpm -d 'The workers of PHP-FPM, of all pools or of one; those that come and go included' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s H -l rate -d 'Samples a second, of each process' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l max-depth -d 'Frames to keep of a stack, the innermost ones; what is cut is counted' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l source -d 'Where stacks come from: the kernel (eBPF) takes them without disturbing anything, the reader works without privileges' -r -f -a "auto\t'The kernel where it is permitted, else the reader'
kernel\t'The kernel or nothing'
reader\t'The reader'"
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l request -d 'Label samples with the request that they are of: method, uri (without its query) and script; or just the PARTS named, of method, uri, script, query, cookie (these two hold secrets) and began, in seconds since 1970' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s d -l duration -d 'How long, as 30, 1.5, 500ms, 2m [default: until the targets end or Ctrl-C]' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s l -l limit -d 'Stop after so many samples' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l peek -d 'Tell what a variable holds in each frame that runs that line: FILE is a path or the end of one, LINE may be FIRST-LAST. May be given several times. Values may be secrets' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l global -d 'Tell what a global holds: an element of a global array, such as server.argc or session.user, or a global variable, such as globals.config. May be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s o -l output -d 'Where to write; - is standard output' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l function -d 'Keep only samples with a function like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l file -d 'Keep only samples with a function of a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l ignore -d 'Drop samples with a function or a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l waits -d 'Say for what a sample waits: labels with the system call, and the file or the other end of the connection'
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l memory -d 'Read how much memory PHP has given out, as `memory_get_usage()` tells it, and the most of it'
complete -c phperf -n "__fish_phperf_using_subcommand trace" -l native -d 'Show what C code PHP\'s functions run, and what calls them: of PHP itself, of libraries, of the kernel. Takes root or the capabilities of the kernel source'
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s 1 -l single-line -d 'Print each stack in one line, with a tab after each frame'
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s q -l quiet -d 'Print no account at the end'
complete -c phperf -n "__fish_phperf_using_subcommand trace" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand dump" -s p -l pid -d 'A process; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -s P -l pattern -d 'Every PHP process whose name is this or whose command line contains it' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l fpm -d 'The workers of PHP-FPM, of all pools or of one; those between two requests are only counted' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l core -d 'The core file of a PHP that crashed, instead of a process' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l exe -d 'A copy of PHP, or of another file that the crashed process had mapped, where it was deleted or replaced since; may be given several times' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l max-depth -d 'Frames to show, the innermost ones' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l request -d 'Label samples with the request that they are of: method, uri (without its query) and script; or just the PARTS named, of method, uri, script, query, cookie (these two hold secrets) and began, in seconds since 1970' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l peek -d 'Tell what a variable holds in each frame that runs that line: FILE is a path or the end of one, LINE may be FIRST-LAST. May be given several times. Values may be secrets' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l global -d 'Tell what a global holds: an element of a global array, such as server.argc or session.user, or a global variable, such as globals.config. May be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand dump" -l memory -d 'Read how much memory PHP has given out, as `memory_get_usage()` tells it, and the most of it'
complete -c phperf -n "__fish_phperf_using_subcommand dump" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand report" -l format -d 'How to show it' -r -f -a "text\t'A table'
json\t'All of it, for programs: docs/formats.md'"
complete -c phperf -n "__fish_phperf_using_subcommand report" -l by -d 'Part the samples by a label instead of listing functions: pid, thread, state; method, uri, script, query, cookie, began (record --request); wait, syscall, file, peer' -r
complete -c phperf -n "__fish_phperf_using_subcommand report" -l focus -d 'Count only samples with this label, such as state=waiting or uri~^/cart (a regular expression); may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand report" -l function -d 'Keep only samples with a function like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand report" -l file -d 'Keep only samples with a function of a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand report" -l ignore -d 'Drop samples with a function or a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand report" -s n -l top -d 'How many functions, or values of the label, to show as text; 0 is all' -r
complete -c phperf -n "__fish_phperf_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand diff" -s o -l output -d 'Draw a flame graph, too: as wide as B, red where B takes more, blue where it takes less' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand diff" -l format -d 'How to show it' -r -f -a "text\t'A table'
json\t'All of it, for programs: docs/formats.md'"
complete -c phperf -n "__fish_phperf_using_subcommand diff" -l by -d 'What shares are shares of' -r -f -a "samples\t'All samples of each: where its time goes'
time\t'The time for which each was recorded: how much time goes there'"
complete -c phperf -n "__fish_phperf_using_subcommand diff" -l focus -d 'Count only samples with this label, such as state=waiting or uri~^/cart (a regular expression); may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand diff" -l function -d 'Keep only samples with a function like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand diff" -l file -d 'Keep only samples with a function of a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand diff" -l ignore -d 'Drop samples with a function or a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand diff" -s n -l top -d 'How many functions to show as text; 0 is all' -r
complete -c phperf -n "__fish_phperf_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand convert" -s o -l output -d 'Where to write; - is standard output' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand convert" -s f -l format -d 'The format [default: from the ending of FILE]' -r
complete -c phperf -n "__fish_phperf_using_subcommand convert" -l focus -d 'Count only samples with this label, such as state=waiting or uri~^/cart (a regular expression); may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand convert" -l function -d 'Keep only samples with a function like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand convert" -l file -d 'Keep only samples with a function of a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand convert" -l ignore -d 'Drop samples with a function or a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand convert" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "run" -d 'Run a PHPBench suite and report what it costs'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "compare" -d 'Tell whether a suite is faster or slower with another revision, folder, PHP or ini'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "log" -d 'List the runs that are kept, or show a subject over them'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "show" -d 'Report a run that is kept'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "export" -d 'Write a run that is kept as PHPBench\'s XML, or a comparison as JSON'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "import" -d 'Keep the runs of files that PHPBench wrote (--dump-file, or its storage), and runs and comparisons of --json'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and not __fish_seen_subcommand_from run compare log show export import help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l config -d 'Settings instead of phperf.toml, phpbench.json or phpbench.json.dist' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l profile -d 'A profile of the configuration (core.profiles)' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l working-dir -d 'The folder to start from' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -s b -l bootstrap -d 'A script to load first, such as vendor/autoload.php' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l filter -d 'Only subjects whose Class::subject matches this regular expression; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l variant -d 'Only parameter sets whose name matches this regular expression; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l group -d 'Only subjects of this group; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l parameters -d 'Parameters instead of the suite\'s, as an object of JSON' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l revs -d 'Calls within a sample [default: the suite\'s, else found by a pilot]; several make several variants' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l warmup -d 'Calls before each sample that do not count' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l executor -d 'How to sample: hrtime, hrtime_no_loop, microtime, memory, cpu, instructions, profile, or a configured one' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l counter -d 'What counts instructions for the executor instructions [default: auto, the CPU\'s counter where it can be used]' -r -f -a "auto\t'The CPU\'s counter where it can be used, else callgrind'
hardware\t'The CPU\'s counter (perf_event)'
callgrind\t'Valgrind\'s callgrind'"
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l php-wrapper -d 'A command to put before PHP, such as \'taskset -c 1\'' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l opcache -d 'The state of opcache [default: as PHP\'s own settings say]' -r -f -a "as-is\t'As PHP\'s own settings say'
off\t'Off'
on\t'On, without JIT'
jit\t'On, with the tracing JIT'"
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l iterations -d 'Samples of each variant [default: the suite\'s, else 10]' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -s r -l retry-threshold -d 'Take another sample for one that is further from the median, a limited number of times; all are kept' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l sleep -d 'Time between samples' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l isolation -d 'How samples are kept apart: a fork of a warm process for each, or a PHP of its own' -r -f -a "fork\t'A fork of a warm process'
process\t'A PHP of its own, as PHPBench does'"
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l php-binary -d 'The PHP to run the suite' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l php-config -d 'ini settings, as an object of JSON' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l assert -d 'What must hold for each variant, such as \'mode(variant.time.avg) < 10 ms\'; instead of the suite\'s' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l report -d 'Reports: aggregate, default, memory, bare, overview, env, benchmark_compare, a configured one, or JSON; several are possible' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -s o -l output -d 'How to write reports: console, csv, delimited, json, html, a configured one, or JSON; or a file that ends in .html, as with --html [default: console]' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l json -d 'Write the whole suite, every sample, as JSON; - is standard output' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l html -d 'Write a page for a browser, with every sample and the history of the runs that are kept' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l record-to -d 'The folder for the flame graphs of the executor profile, one of each variant' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l record-format -d 'What the executor profile writes, as `phperf record -f` has it; several are possible' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -s l -l progress -d 'Progress: verbose, dots, plain, histogram, blinken (a bar for each sample), json or none [default: verbose on a terminal, else plain]' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l format -d 'The expression that progress shows of a variant' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l time-unit -d 'Unit of time instead of the suite\'s, such as milliseconds' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l precision -d 'Digits after the point instead of the suite\'s' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l mode -d 'Show time, or revolutions per unit of time' -r -f -a "time\t''
throughput\t''"
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l tag -d 'Keep this run under a name' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l ref -d 'Compare with a run that was kept: latest, latest-1, a tag, tag-1, or a number of `bench log`' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l file -d 'Compare with the run in a file that --json, --dump-file or PHPBench wrote' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l dump-file -d 'Write the run as PHPBench\'s XML, too' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l store-file -d 'The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to start from]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l store-url -d 'A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the configuration]; a password may be in PGPASSWORD' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l php-disable-ini -d 'Do not read php.ini'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l stop-on-error -d 'Stop at the first failure'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l tolerate-failure -d 'End with 0 although something failed'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -s q -l quiet -d 'Print no progress'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -l store -d 'Keep this run'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l config -d 'Settings instead of phperf.toml, phpbench.json or phpbench.json.dist' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l profile -d 'A profile of the configuration (core.profiles)' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l working-dir -d 'The folder to start from' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -s b -l bootstrap -d 'A script to load first, such as vendor/autoload.php' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l filter -d 'Only subjects whose Class::subject matches this regular expression; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l variant -d 'Only parameter sets whose name matches this regular expression; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l group -d 'Only subjects of this group; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l parameters -d 'Parameters instead of the suite\'s, as an object of JSON' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l revs -d 'Calls within a sample [default: the suite\'s, else found by a pilot]; several make several variants' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l warmup -d 'Calls before each sample that do not count' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l executor -d 'How to sample: hrtime, hrtime_no_loop, microtime, memory, cpu, instructions, profile, or a configured one' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l counter -d 'What counts instructions for the executor instructions [default: auto, the CPU\'s counter where it can be used]' -r -f -a "auto\t'The CPU\'s counter where it can be used, else callgrind'
hardware\t'The CPU\'s counter (perf_event)'
callgrind\t'Valgrind\'s callgrind'"
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l php-wrapper -d 'A command to put before PHP, such as \'taskset -c 1\'' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l opcache -d 'The state of opcache [default: as PHP\'s own settings say]' -r -f -a "as-is\t'As PHP\'s own settings say'
off\t'Off'
on\t'On, without JIT'
jit\t'On, with the tracing JIT'"
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l revision -d 'A revision of this git repository; twice for A and B, once for A with the working tree as B' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l folder -d 'A folder with the suite and its code; twice, for A and B' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l php-binary -d 'The PHP to run the suite; twice, for A and B, or once for both' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l php-config -d 'ini settings, as an object of JSON; twice, for A and B, or once for both' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l prepare -d 'Run this line with sh in each revision\'s folder first; $PHPERF_PROJECT is the folder of the working tree' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l pairs -d 'Pairs of each subject to measure at most; 10 are the least that can tell anything' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l time -d 'How long to measure at most, all subjects together, as 30, 500ms, 2m' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l margin -d 'Differences of up to so many per cent are the same' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l pin -d 'Measure on this CPU alone' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l seed -d 'The seed of all that is drawn at random [default: drawn from the clock, and shown]' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l tag -d 'Keep the comparison under a name' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l store-file -d 'The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to start from]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l store-url -d 'A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the configuration]; a password may be in PGPASSWORD' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l json -d 'Write the result with every figure as JSON, too; - is standard output instead of the text' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l markdown -d 'Write the result as Markdown, too' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l html -d 'Write the result as a page for a browser, too, with charts' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l junit -d 'Write the result as a test report in XML, too, as CI systems show it' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l php-disable-ini -d 'Do not read php.ini'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l store -d 'Keep the comparison'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l fail-on-slower -d 'Exit with 1 if B is slower beyond the margin'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -l fail-on-inconclusive -d 'Exit with 3 if the result is inconclusive'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -s q -l quiet -d 'Print no progress'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -s n -l limit -d 'The last so many' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -l json -d 'Write runs, and each variant over them, as JSON instead; - is standard output' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -l config -d 'Settings instead of phperf.toml, phpbench.json or phpbench.json.dist' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -l profile -d 'A profile of the configuration (core.profiles)' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -l working-dir -d 'The folder to start from' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -l store-file -d 'The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to start from]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -l store-url -d 'A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the configuration]; a password may be in PGPASSWORD' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l comparison -d 'Show a comparison that `bench compare --store` kept instead of a run, with --html or --json: its number, a tag, latest' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l report -d 'Reports, as `bench run` has them [default: aggregate]' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -s o -l output -d 'How to write reports, as `bench run` has it; or a file that ends in .html, as with --html [default: console]' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l html -d 'Write a page for a browser, with every sample and the history of the runs that are kept' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l file -d 'Show the run in a file that --json, --dump-file or PHPBench wrote, instead of one that is kept' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l json -d 'Write the whole suite, every sample, as JSON; - is standard output' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l config -d 'Settings instead of phperf.toml, phpbench.json or phpbench.json.dist' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l profile -d 'A profile of the configuration (core.profiles)' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l working-dir -d 'The folder to start from' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l store-file -d 'The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to start from]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -l store-url -d 'A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the configuration]; a password may be in PGPASSWORD' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -l config -d 'Settings instead of phperf.toml, phpbench.json or phpbench.json.dist' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -l profile -d 'A profile of the configuration (core.profiles)' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -l working-dir -d 'The folder to start from' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -l store-file -d 'The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to start from]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -l store-url -d 'A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the configuration]; a password may be in PGPASSWORD' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -l comparison -d 'RUN names a comparison that `bench compare --store` kept; it is written as JSON, which `bench import` takes'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from import" -l config -d 'Settings instead of phperf.toml, phpbench.json or phpbench.json.dist' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from import" -l profile -d 'A profile of the configuration (core.profiles)' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from import" -l working-dir -d 'The folder to start from' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from import" -l store-file -d 'The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to start from]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from import" -l store-url -d 'A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the configuration]; a password may be in PGPASSWORD' -r
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "run" -d 'Run a PHPBench suite and report what it costs'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Tell whether a suite is faster or slower with another revision, folder, PHP or ini'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "log" -d 'List the runs that are kept, or show a subject over them'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "show" -d 'Report a run that is kept'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write a run that is kept as PHPBench\'s XML, or a comparison as JSON'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "import" -d 'Keep the runs of files that PHPBench wrote (--dump-file, or its storage), and runs and comparisons of --json'
complete -c phperf -n "__fish_phperf_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l metric -d 'What to compare' -r -f -a "wall\t'From start to end'
cpu\t'CPU time, in user space and in the kernel'
user\t'CPU time in user space'
max-rss\t'The most memory that it held'
instructions\t'Instructions in user space, counted by valgrind\'s callgrind, whatever else the machine does'"
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l pairs -d 'Pairs to measure at most; 10 are the least that can tell anything [default: 60, or as many as fit into --time]' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l margin -d 'Differences of up to so many per cent are the same' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l warm-up -d 'Runs of each side before measuring' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l least-of -d 'Run a command so often for each figure, and count the least: what disturbs a run can only make it longer' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l pin -d 'Measure on this CPU alone' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l prepare -d 'Run this line with sh before each measurement; its time is not counted' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l requests -d 'Requests of each measurement, over one connection that is kept open' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l header -d 'A header of each request; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l time -d 'How long to measure at most, as 30, 1.5, 500ms, 2m' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l seed -d 'The seed of all that is drawn at random [default: drawn from the clock, and shown]' -r
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l json -d 'Write the result with every figure as JSON, too; - is standard output instead of the text' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l markdown -d 'Write the result as Markdown, too' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l html -d 'Write the result as a page for a browser, too, with charts' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l junit -d 'Write the result as a test report in XML, too, as CI systems show it' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l together -d 'Run A and B at the same time, on one CPU, and compare their CPU time: whatever slows the CPU down meets both'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l shell -d 'Take A and B as lines for sh'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l ignore-failure -d 'Measure commands that fail, too'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l fail-on-slower -d 'Exit with 1 if B is slower beyond the margin'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -l fail-on-inconclusive -d 'Exit with 3 if the result is inconclusive'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -s q -l quiet -d 'Print no progress'
complete -c phperf -n "__fish_phperf_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "status" -d 'Tell how much of PHP\'s code lies on huge pages, by which way, and what would be possible'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "apply" -d 'Put PHP\'s code on huge pages, by a copy, in memory, by opcache, or in what runs; or opcache\'s memory'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "revert" -d 'Undo what apply changed'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "verify" -d 'Measure what a copy gains: pairs, CPU time, an interval'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "perf-map" -d 'Give perf the names of code that opcache copied to huge pages'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "warm" -d 'Read a copy into huge pages again, after a reboot or when memory was short'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and not __fish_seen_subcommand_from status apply revert verify perf-map warm help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from status" -l format -d 'How to show it' -r -f -a "text\t'A table'
json\t'All of it, for programs: docs/formats.md'"
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from status" -l try -d 'Start the binary once, let opcache copy its code to huge pages, and tell what it did'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -s o -l output -d 'Write a copy that fits on huge pages' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l tmpfs -d 'Mount a file system in memory with huge pages on this empty folder, and copy there' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l sysctl -d 'With --memory: write it to this file as well, such as /etc/sysctl.d/90-php.conf, so that it stays over a reboot' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l fpm -d 'Gather the code of the workers of PHP-FPM, of all pools or of one, into huge pages' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l pool -d 'Set so many pages of 2 MB aside for opcache, in addition to those that are' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l unit -d 'Write a systemd unit that brings the copy back onto huge pages after a reboot; - is standard output' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l opcache -d 'Let opcache copy the code, by a file where this PHP reads its settings; it stays over a reboot, until it is reverted'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l memory -d 'Set as many pages of 2 MB aside as opcache\'s memory takes, with this PHP\'s settings: it uses them by itself'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l narrow -d 'Make no more executable than lies on the same huge pages as code; strip cannot rewrite such a copy'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l force -d 'Replace a copy that is there'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -l dry-run -d 'Tell what would be changed, and change nothing'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -s y -l yes -d 'Do not ask'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from apply" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from revert" -l dry-run -d 'Tell what would be undone, and undo nothing'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from revert" -s y -l yes -d 'Do not ask'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from revert" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l pairs -d 'Pairs to measure at most [default: 60, or as many as fit into --time]' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l margin -d 'Differences of up to so many per cent are no gain' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l requests -d 'Requests to each php-fpm in a pair' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l time -d 'How long to measure at most, as 30, 1.5, 500ms, 2m' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l seed -d 'The seed of all that is drawn at random [default: drawn from the clock, and shown]' -r
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l json -d 'Write the result with every figure as JSON, too; - is standard output instead of the text' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l markdown -d 'Write the result as Markdown, too' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l html -d 'Write the result as a page for a browser, too, with charts' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l junit -d 'Write the result as a test report in XML, too, as CI systems show it' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l fail-on-slower -d 'Exit with 1 if B is slower beyond the margin'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -l fail-on-inconclusive -d 'Exit with 3 if the result is inconclusive'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print no progress'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from perf-map" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from warm" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "status" -d 'Tell how much of PHP\'s code lies on huge pages, by which way, and what would be possible'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "apply" -d 'Put PHP\'s code on huge pages, by a copy, in memory, by opcache, or in what runs; or opcache\'s memory'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "revert" -d 'Undo what apply changed'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Measure what a copy gains: pairs, CPU time, an interval'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "perf-map" -d 'Give perf the names of code that opcache copied to huge pages'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "warm" -d 'Read a copy into huge pages again, after a reboot or when memory was short'
complete -c phperf -n "__fish_phperf_using_subcommand hugepages; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c phperf -n "__fish_phperf_using_subcommand build" -l like -d 'The php, php-fpm, php-cgi or Apache\'s libphp that the new one is to replace: its version, options, extensions and folders' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l source -d 'PHP\'s sources, a folder or an archive [default: the distribution\'s source package of --like]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l against -d 'Another one to compare with; requests are also sent to its kind of server; may be given several times' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l configure -d 'One more option of PHP\'s configure; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l cc -d 'The compiler whose profiles are used, a gcc or a clang [default: $CC, or gcc]' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l level -d 'Try parts one after the other, measure each on your own load, and keep what shows a gain' -r -f -a "auto\t'What shows a gain, by measuring'"
complete -c phperf -n "__fish_phperf_using_subcommand build" -l try -d 'What to try [default: lto,bolt,huge, and march where --march names a processor]' -r -f -a "lto\t'All files optimised together when they are linked'
bolt\t'Programs laid out anew by BOLT'
huge\t'Code on huge pages'
march\t'Compiled for the processor that --march names'"
complete -c phperf -n "__fish_phperf_using_subcommand build" -l budget -d 'Try nothing more after so long, as 90m, 2h; what has begun is brought to its end' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l march -d 'Compile for this processor alone, as GCC names it; native is the one that this runs on' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l jobs -d 'Compilers to run at the same time [default: one for each CPU]' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l train-cli -d 'A script with its arguments to train on; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l root -d 'The web server\'s root, below which requests find their scripts' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l request -d 'A page to train on, as /index.php?x=1, and its weight behind a space; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l access-log -d 'An access log, common or combined, to take GET requests with their weights from; may be given several times' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l requests -d 'How many requests to train with; each page at least once' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l host -d 'The name that requests are sent to' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l user -d 'The user that serves requests, such as www-data; has to be given as root' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l ignore-output -d 'Leave out of the answers what changes by nature, such as dates and nonces; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l verify -d 'Run tests of PHP\'s own on both, and fail if the new PHP fails what the old one passes' -r -f -a "quick\t'About 300 tests of the language, evenly spread over all'
full\t'All tests of the language, and of the extensions that both have'"
complete -c phperf -n "__fish_phperf_using_subcommand build" -s o -l output -d 'Where sources, both builds and logs are kept' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l from -d 'Do this and what follows again, even if it was done' -r -f -a "source\t'Sources and everything else'
instrument\t'The build with counters'
train\t'The training: the application is another one now'
optimise\t'The optimised build'
bolt\t'The programs that BOLT lays out'
place\t'The programs that are linked for huge pages'
choose\t'What --level auto measures'
verify\t'PHP\'s own tests'"
complete -c phperf -n "__fish_phperf_using_subcommand build" -l install -d 'Put the new PHP below this folder, beside the old one: PREFIX/bin and PREFIX/sbin' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l deb -d 'Write a Debian package, which puts the new PHP below /opt, beside the old one' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l pairs -d 'Pairs to measure at most; 10 are the least that can tell anything' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l margin -d 'Differences of up to so many per cent are the same' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l time -d 'How long to measure at most, as 30, 1.5, 500ms, 2m' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l seed -d 'The seed of all that is drawn at random [default: drawn from the clock, and shown]' -r
complete -c phperf -n "__fish_phperf_using_subcommand build" -l json -d 'Write the result with every figure as JSON, too; - is standard output instead of the text' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l markdown -d 'Write the result as Markdown, too' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l html -d 'Write the result as a page for a browser, too, with charts' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l junit -d 'Write the result as a test report in XML, too, as CI systems show it' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand build" -l lto -d 'Optimise all files together when they are linked: takes some minutes more'
complete -c phperf -n "__fish_phperf_using_subcommand build" -l bolt -d 'Lay the programs out anew with BOLT of LLVM 21 or later, after a second training'
complete -c phperf -n "__fish_phperf_using_subcommand build" -l huge -d 'Link the programs so that all of their code can lie on huge pages of 2 MB'
complete -c phperf -n "__fish_phperf_using_subcommand build" -s y -l yes -d 'Run the application without asking first'
complete -c phperf -n "__fish_phperf_using_subcommand build" -l no-measure -d 'Do not measure what is gained'
complete -c phperf -n "__fish_phperf_using_subcommand build" -l fail-on-slower -d 'Exit with 1 if B is slower beyond the margin'
complete -c phperf -n "__fish_phperf_using_subcommand build" -l fail-on-inconclusive -d 'Exit with 3 if the result is inconclusive'
complete -c phperf -n "__fish_phperf_using_subcommand build" -s q -l quiet -d 'Print no progress'
complete -c phperf -n "__fish_phperf_using_subcommand build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand swap" -s p -l pid -d 'The process of PHP-FPM\'s master' -r
complete -c phperf -n "__fish_phperf_using_subcommand swap" -l back -d 'Put the old one back'
complete -c phperf -n "__fish_phperf_using_subcommand swap" -s h -l help -d 'Print help'
complete -c phperf -n "__fish_phperf_using_subcommand record" -s p -l pid -d 'A process; may be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -s P -l pattern -d 'Every PHP process whose name is this or whose command line contains it, those that come later too' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l fpm -d 'The workers of PHP-FPM, of all pools or of one; those that come and go included' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -s H -l rate -d 'Samples a second, of each process' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l max-depth -d 'Frames to keep of a stack, the innermost ones; what is cut is counted' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l source -d 'Where stacks come from: the kernel (eBPF) takes them without disturbing anything, the reader works without privileges' -r -f -a "auto\t'The kernel where it is permitted, else the reader'
kernel\t'The kernel or nothing'
reader\t'The reader'"
complete -c phperf -n "__fish_phperf_using_subcommand record" -l request -d 'Label samples with the request that they are of: method, uri (without its query) and script; or just the PARTS named, of method, uri, script, query, cookie (these two hold secrets) and began, in seconds since 1970' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l peek -d 'Tell what a variable holds in each frame that runs that line: FILE is a path or the end of one, LINE may be FIRST-LAST. May be given several times. Values may be secrets' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l global -d 'Tell what a global holds: an element of a global array, such as server.argc or session.user, or a global variable, such as globals.config. May be given several times' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -s d -l duration -d 'How long, as 30, 1.5, 500ms, 2m [default: until the targets end or Ctrl-C]' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -s l -l limit -d 'Stop after so many samples' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -s o -l output -d 'Where to write; - is standard output [default: a flame graph with a name that says what and when]' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand record" -l function -d 'Keep only samples with a function like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l file -d 'Keep only samples with a function of a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l ignore -d 'Drop samples with a function or a file like this anywhere on the stack' -r
complete -c phperf -n "__fish_phperf_using_subcommand record" -l summary-json -d 'Write the account of every tick as JSON, too' -r -F
complete -c phperf -n "__fish_phperf_using_subcommand record" -s f -l format -d 'The format [default: from the ending of FILE, else svg]' -r -f -a "svg\t''
pprof\t''
folded\t''
speedscope\t''
phpspy\t''
phpspy-line\t''
callgrind\t''
otlp\t''"
complete -c phperf -n "__fish_phperf_using_subcommand record" -l waits -d 'Say for what a sample waits: labels with the system call, and the file or the other end of the connection'
complete -c phperf -n "__fish_phperf_using_subcommand record" -l memory -d 'Read how much memory PHP has given out, as `memory_get_usage()` tells it, and the most of it'
complete -c phperf -n "__fish_phperf_using_subcommand record" -l native -d 'Show what C code PHP\'s functions run, and what calls them: of PHP itself, of libraries, of the kernel. Takes root or the capabilities of the kernel source'
complete -c phperf -n "__fish_phperf_using_subcommand record" -s q -l quiet -d 'Print neither status nor summary'
complete -c phperf -n "__fish_phperf_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "top" -d 'Watch live where running PHP spends its time'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "trace" -d 'Print each stack as it comes, as phpspy does'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "dump" -d 'Print the stacks of processes as they are now, with lines'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "report" -d 'Show the hottest functions of a saved profile'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "diff" -d 'Compare two saved profiles, function by function'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "convert" -d 'Write a saved profile in another format'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "bench" -d 'Measure PHP code: benchmark suites, as they are'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "compare" -d 'Tell whether one command, or address, is faster than another'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "hugepages" -d 'Put PHP\'s code on huge pages, and tell how much of it lies there'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "build" -d 'Build a PHP that is trained on your own load, and measure what it gains'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "swap" -d 'Put another php-fpm under a master that runs, without a failed request; or the old one back'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "record" -d 'Sample the stacks of running PHP into a flame graph or another format'
complete -c phperf -n "__fish_phperf_using_subcommand help; and not __fish_seen_subcommand_from top trace dump report diff convert bench compare hugepages build swap record help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "run" -d 'Run a PHPBench suite and report what it costs'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "compare" -d 'Tell whether a suite is faster or slower with another revision, folder, PHP or ini'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "log" -d 'List the runs that are kept, or show a subject over them'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "show" -d 'Report a run that is kept'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "export" -d 'Write a run that is kept as PHPBench\'s XML, or a comparison as JSON'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "import" -d 'Keep the runs of files that PHPBench wrote (--dump-file, or its storage), and runs and comparisons of --json'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from hugepages" -f -a "status" -d 'Tell how much of PHP\'s code lies on huge pages, by which way, and what would be possible'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from hugepages" -f -a "apply" -d 'Put PHP\'s code on huge pages, by a copy, in memory, by opcache, or in what runs; or opcache\'s memory'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from hugepages" -f -a "revert" -d 'Undo what apply changed'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from hugepages" -f -a "verify" -d 'Measure what a copy gains: pairs, CPU time, an interval'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from hugepages" -f -a "perf-map" -d 'Give perf the names of code that opcache copied to huge pages'
complete -c phperf -n "__fish_phperf_using_subcommand help; and __fish_seen_subcommand_from hugepages" -f -a "warm" -d 'Read a copy into huge pages again, after a reboot or when memory was short'
