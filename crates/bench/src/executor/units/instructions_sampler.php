<?php
\PhperfGate::pass('begin');
{{ children }}
\PhperfGate::pass('end');
