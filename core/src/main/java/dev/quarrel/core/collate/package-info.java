/// Order and letter case of texts by Unicode's rules and ICU's, and the characters of UTF-8: the one package that sees
/// ICU.
///
/// - Source: PostgreSQL's `pg_locale_icu.c`, `pg_locale_builtin.c` and `pg_locale_libc.c`.
package dev.quarrel.core.collate;
