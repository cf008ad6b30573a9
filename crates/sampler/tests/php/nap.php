<?php
function nap(): void
{
    echo "ready\n";
    fgets(STDIN);
}
nap();
