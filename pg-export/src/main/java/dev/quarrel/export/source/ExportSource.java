package dev.quarrel.export.source;

import java.util.List;

/// A database to export from, and the user that connects to it.
///
/// `toString` gives the address without password.
public sealed interface ExportSource permits PostgresSource, MySqlSource {
    /// PostgreSQL by everything that psql's `-d` takes, MySQL and MariaDB by a URL.
    ///
    /// - Errors: `QueryException` 22023 for what is no such address, without repeating it (it may hold a password).
    static ExportSource parse(String text) {
        return MySqlSource.isUrl(text) ? MySqlSource.parse(text) : PostgresSource.parse(text);
    }

    /// The same address with a password that was asked for elsewhere.
    ExportSource withPassword(String newPassword);

    /// What the user should know of how the address was understood.
    List<String> warnings();
}
