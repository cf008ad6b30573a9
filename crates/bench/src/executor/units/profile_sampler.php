<?php
\PhperfGate::pass('begin');
$start = \hrtime(true);
{{ children }}
$end = \hrtime(true);
\PhperfGate::pass('end');
$result['sample'] = $end - $start;
