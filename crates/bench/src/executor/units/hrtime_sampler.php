<?php
$start = \hrtime(true);
{{ children }}
$end = \hrtime(true);
$result['sample'] = $end - $start;
