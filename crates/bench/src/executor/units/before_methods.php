<?php
{{ before_methods }}
