<?php
$result['memory'] = [
    'peak' => \memory_get_peak_usage(),
    'final' => \memory_get_usage(),
    'real' => \memory_get_usage(true),
];
