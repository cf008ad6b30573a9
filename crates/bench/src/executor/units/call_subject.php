<?php
{{ call }}
