<?php
$start = \microtime(true);
{{ children }}
$end = \microtime(true);
$result['sample'] = (int) \round(($end - $start) * 1e9);
