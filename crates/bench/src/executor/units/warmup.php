<?php
for ($warm = 0; $warm < $warmup; $warm++) {
    {{ call }}
}
