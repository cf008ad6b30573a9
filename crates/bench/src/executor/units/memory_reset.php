<?php
\gc_collect_cycles();
if (\function_exists('memory_reset_peak_usage')) {
    \memory_reset_peak_usage();
}
