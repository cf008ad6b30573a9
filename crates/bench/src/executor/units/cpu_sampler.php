<?php
$start = \getrusage();
{{ children }}
$end = \getrusage();
$result['sample'] = 1000 * (
    1000000 * ($end['ru_utime.tv_sec'] - $start['ru_utime.tv_sec'] + $end['ru_stime.tv_sec'] - $start['ru_stime.tv_sec'])
    + $end['ru_utime.tv_usec'] - $start['ru_utime.tv_usec'] + $end['ru_stime.tv_usec'] - $start['ru_stime.tv_usec']
);
