<?php
for ($rev = 0; $rev < $revs; $rev++) {
    {{ children }}
}
