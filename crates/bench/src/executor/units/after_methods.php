<?php
{{ after_methods }}
