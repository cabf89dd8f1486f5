package dev.quarrel.core.table;

/// A set of named tables, which may change between snapshots and never within one.
public interface Catalog extends AutoCloseable {
    /// The schema of a session's temporary tables, which it alone sees.
    String TEMPORARY_SCHEMA = "pg_temp";

    /// The tables as they are now. The caller closes it; files it names stay readable until then.
    CatalogSnapshot snapshot();

    @Override
    void close();
}
