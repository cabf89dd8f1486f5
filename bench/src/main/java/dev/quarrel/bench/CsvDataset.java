package dev.quarrel.bench;

import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.PGConnection;

/// Makes a dataset of CSV files: they go into a PostgreSQL, and from there they are exported as users' tables are.
final class CsvDataset {
    private static final String SUFFIX = ".csv";

    private CsvDataset() {}

    /// @param arguments the folder of `schema.sql` and a `TABLE.csv` for each table, one for PostgreSQL, and the
    /// dataset's
    public static void main(String[] arguments) throws IOException, SQLException {
        Path source = Path.of(arguments[0]);
        List<Path> files;
        try (Stream<Path> found = Files.list(source)) {
            files = found.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        }
        try (EmbeddedPostgres postgres =
                BenchPostgres.start(Path.of(arguments[1]).toAbsolutePath())) {
            try (Connection connection = postgres.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP SCHEMA public CASCADE");
                statement.execute("CREATE SCHEMA public");
                statement.execute(Files.readString(source.resolve("schema.sql")));
                for (Path file : files) {
                    try (InputStream rows = Files.newInputStream(file)) {
                        connection
                                .unwrap(PGConnection.class)
                                .getCopyAPI()
                                .copyIn("COPY " + table(file) + " FROM STDIN (FORMAT csv)", rows);
                    }
                }
            }
            String url = "postgresql://postgres@127.0.0.1:" + postgres.getPort() + "/postgres";
            ExportConfig.Builder config = ExportConfig.builder(PostgresSource.parse(url), Path.of(arguments[2]));
            Exporter.run(config.tables(files.stream().map(CsvDataset::table).toArray(String[]::new))
                    .build());
        }
    }

    private static String table(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - SUFFIX.length());
    }
}
