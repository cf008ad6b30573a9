PHP_ARG_ENABLE([pdo_pool],
  [whether to enable pdo_pool],
  [AS_HELP_STRING([--enable-pdo_pool], [Prepare PDO statements once per connection])],
  [yes])

PHP_ARG_WITH([pdo_pool-libpq],
  [where libpq is],
  [AS_HELP_STRING([--with-pdo_pool-libpq=DIR], [Prefix of libpq's include and lib folders])],
  [no], [no])

PHP_ARG_ENABLE([pdo_pool-strict],
  [whether warnings of the compiler are errors],
  [AS_HELP_STRING([--enable-pdo_pool-strict], [Build pdo_pool with -Wall -Wextra -Werror])],
  [no], [no])

if test "$PHP_PDO_POOL" != "no"; then
  if test "$PHP_PDO_POOL_LIBPQ" != "no"; then
    PDO_POOL_INCDIR="$PHP_PDO_POOL_LIBPQ/include"
    PDO_POOL_LIBDIR="$PHP_PDO_POOL_LIBPQ/$PHP_LIBDIR"
  else
    AC_PATH_PROG([PG_CONFIG], [pg_config], [no])
    if test "$PG_CONFIG" != "no"; then
      PDO_POOL_INCDIR=$($PG_CONFIG --includedir)
      PDO_POOL_LIBDIR=$($PG_CONFIG --libdir)
    else
      AC_PATH_PROG([PKG_CONFIG], [pkg-config], [no])
      if test "$PKG_CONFIG" != "no" && $PKG_CONFIG --exists libpq; then
        PDO_POOL_INCDIR=$($PKG_CONFIG --variable=includedir libpq)
        PDO_POOL_LIBDIR=$($PKG_CONFIG --variable=libdir libpq)
      else
        AC_MSG_ERROR([libpq was not found: install libpq-dev (or libpq-devel), or name its prefix with --with-pdo_pool-libpq=DIR])
      fi
    fi
  fi

  if test ! -r "$PDO_POOL_INCDIR/libpq-fe.h" && test -r "$PDO_POOL_INCDIR/postgresql/libpq-fe.h"; then
    PDO_POOL_INCDIR="$PDO_POOL_INCDIR/postgresql"
  fi
  if test ! -r "$PDO_POOL_INCDIR/libpq-fe.h"; then
    AC_MSG_ERROR([there is no libpq-fe.h in $PDO_POOL_INCDIR: install libpq-dev (or libpq-devel), or name libpq's prefix with --with-pdo_pool-libpq=DIR])
  fi
  PHP_CHECK_LIBRARY([pq], [PQexecPrepared],
    [PHP_ADD_INCLUDE([$PDO_POOL_INCDIR])
     PHP_ADD_LIBRARY_WITH_PATH([pq], [$PDO_POOL_LIBDIR], [PDO_POOL_SHARED_LIBADD])],
    [AC_MSG_ERROR([libpq in $PDO_POOL_LIBDIR cannot be linked with; see config.log])],
    [-L$PDO_POOL_LIBDIR])
  PHP_SUBST([PDO_POOL_SHARED_LIBADD])

  PDO_POOL_CFLAGS="-DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 -fvisibility=hidden"
  if test "$PHP_PDO_POOL_STRICT" != "no"; then
    dnl PHP's own headers do not pass -Wextra with these two.
    PDO_POOL_CFLAGS="$PDO_POOL_CFLAGS -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare"
  fi

  PHP_NEW_EXTENSION([pdo_pool],
    [pdo_pool.c hook.c dbh.c stmt.c kept.c columns.c cache.c name.c sql.c pooler.c garbage.c layout.c error.c stats.c reuse.c shelf.c reset.c pool.c pool_attr.c pool_methods.c pool_stmt.c pool_talk.c seat.c slot.c line.c last_id.c lob.c fork.c async.c connect.c wait.c tasks.c revolt.c revolt_loop.c],
    [$ext_shared],, [$PDO_POOL_CFLAGS])
  PHP_ADD_EXTENSION_DEP([pdo_pool], [pdo])
  PHP_ADD_EXTENSION_DEP([pdo_pool], [pdo_pgsql], [true])
fi
