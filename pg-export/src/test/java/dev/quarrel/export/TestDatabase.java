package dev.quarrel.export;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// A database of a test's own in the tests' PostgreSQL, for what looks at all of a database.
record TestDatabase(String name) {
    static TestDatabase create(String name) throws SQLException {
        TestPostgres.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", "CREATE DATABASE " + name);
        return new TestDatabase(name);
    }

    String url() {
        return url("postgres");
    }

    String url(String user) {
        return "postgresql://" + user + "@localhost:" + TestPostgres.server().getPort() + "/" + name;
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:" + url("").replace("@", ""), "postgres", "");
    }

    TestDatabase execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        return this;
    }

    /// The first column of a query's rows, sorted.
    List<String> column(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(result.getString(1));
            }
            rows.sort(null);
            return rows;
        }
    }
}
