package dev.quarrel.bench;

import dev.quarrel.samples.ssb.CopyBinaryEncoder;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbScale;
import dev.quarrel.samples.ssb.SsbTable;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/// A PostgreSQL that holds SSB's `lineorder`, filled the first time and kept; it prints its port and stops
/// when its standard input ends.
final class ExportServer {
    private ExportServer() {}

    /// @param arguments the folder that keeps it, and the scale factor
    public static void main(String[] arguments) throws IOException, SQLException {
        Path folder = Path.of(arguments[0]).toAbsolutePath();
        try (EmbeddedPostgres postgres = BenchPostgres.start(folder)) {
            Path filled = folder.resolve("filled");
            if (!Files.exists(filled)) {
                fill(postgres, Double.parseDouble(arguments[1]));
                Files.createFile(filled);
            }
            System.out.println(postgres.getPort());
            System.out.flush();
            while (System.in.read() >= 0) {
                // whoever started this keeps the pipe open while it is needed
            }
        }
    }

    /// Makes `lineorder` anew.
    static void fill(EmbeddedPostgres postgres, double scale) throws SQLException, IOException {
        SsbGenerator generator = new SsbGenerator(new SsbScale(scale));
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS lineorder");
            statement.execute(SsbTable.LINEORDER.createTable(SsbTable.DEFAULT_DATE_TABLE));
            try (PGCopyOutputStream stream = new PGCopyOutputStream(
                    connection.unwrap(PGConnection.class), SsbTable.LINEORDER.copyFrom(SsbTable.DEFAULT_DATE_TABLE))) {
                CopyBinaryEncoder encoder = new CopyBinaryEncoder(stream);
                generator.generate(SsbTable.LINEORDER, Runtime.getRuntime().availableProcessors(), encoder::write);
                encoder.finish();
            }
            // Otherwise the first reader would set every row's hint bits, and the others find them set.
            statement.execute("VACUUM (FREEZE, ANALYZE) lineorder");
            statement.execute("CHECKPOINT");
        }
    }
}
