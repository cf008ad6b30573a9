#!/bin/sh
# Packages the extension in FOLDER/pdo_pool by pecl, installs that, and loads it by its name. Run it where mounts are
# nobody else's: what pecl installs goes to a copy of PHP's folder of extensions, in its place.
# usage: unshare --mount --propagation private sh pecl.sh FOLDER
set -eu
folder=$1
extensions=$(php-config --extension-dir)

(cd "$folder/pdo_pool" && pecl package >&2)
pear config-create "$folder/root" "$folder/pearrc" >&2
cp -a "$extensions" "$folder/extensions"
mount --bind "$folder/extensions" "$extensions"
[ ! -e "$extensions/pdo_pool.so" ]
# It asks for each option of configure.
yes '' | pecl -c "$folder/pearrc" install "$folder"/pdo_pool/pdo_pool-*.tgz >&2
echo installed
php -d extension=pdo_pool --ri pdo_pool
