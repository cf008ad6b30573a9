PHP_ARG_ENABLE([neighbour], [whether to build an extension that does nothing], [AS_HELP_STRING([--enable-neighbour], [Do nothing])], [yes])

if test "$PHP_NEIGHBOUR" != "no"; then
  PHP_NEW_EXTENSION(neighbour, neighbour.c, $ext_shared)
fi
