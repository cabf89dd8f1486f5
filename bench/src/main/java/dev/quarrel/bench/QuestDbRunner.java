package dev.quarrel.bench;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import io.questdb.cairo.CairoEngine;
import io.questdb.cairo.ColumnType;
import io.questdb.cairo.DefaultCairoConfiguration;
import io.questdb.cairo.TableWriter;
import io.questdb.cairo.security.AllowAllSecurityContext;
import io.questdb.cairo.sql.Record;
import io.questdb.cairo.sql.RecordCursor;
import io.questdb.cairo.sql.RecordCursorFactory;
import io.questdb.cairo.sql.RecordMetadata;
import io.questdb.griffin.SqlException;
import io.questdb.griffin.SqlExecutionContextImpl;
import io.questdb.mp.WorkerPool;
import io.questdb.mp.WorkerPoolConfiguration;
import io.questdb.mp.WorkerPoolUtils;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Times the suite `readings` on QuestDB, embedded in this process alone, over a table loaded from the dataset's
/// Arrow files: ts is its designated timestamp, the truck's name a SYMBOL, partitions are days. [SuiteReport] has the
/// format.
///
/// A time is from SQL text to the last field of the last row read from its cursor.
public final class QuestDbRunner {
    private static final String TABLE = "readings";

    private final SuiteReport report;
    private final SqlExecutionContextImpl context;
    private final CairoEngine engine;
    private double sink; // keeps what is read

    private QuestDbRunner(SuiteReport report, CairoEngine engine, int threads) {
        this.report = report;
        this.engine = engine;
        this.context = new SqlExecutionContextImpl(engine, threads).with(AllowAllSecurityContext.INSTANCE);
    }

    /// Arguments as [SuiteRunner]'s; the report goes to file descriptor 3.
    public static void main(String[] arguments) throws IOException, SqlException {
        // QuestDB writes its log to stdout, from a thread of its own: into the middle of a line.
        SuiteReport report = new SuiteReport(new PrintStream(new FileOutputStream("/dev/fd/3")));
        PeakMemory memory = PeakMemory.start();
        Path folder = Files.createTempDirectory("quarrel-questdb");
        int threads = Integer.parseInt(arguments[3]);
        try (CairoEngine engine = new CairoEngine(new DefaultCairoConfiguration(folder.toString()))) {
            WorkerPoolConfiguration size = () -> threads;
            WorkerPool workers = new WorkerPool(size);
            WorkerPoolUtils.setupQueryJobs(workers, engine);
            workers.start();
            QuestDbRunner runner = new QuestDbRunner(report, engine, threads);
            String version = CairoEngine.class.getPackage().getImplementationVersion();
            report.engine("QuestDB " + version);
            long start = System.nanoTime();
            runner.load(Path.of(arguments[0]));
            report.load(System.nanoTime() - start);
            List<String> only = arguments[4].isEmpty() ? List.of() : List.of(arguments[4].split(","));
            for (Map.Entry<String, String> query :
                    SuiteQueries.read(Path.of(arguments[1]), "questdb", only).entrySet()) {
                runner.time(query.getKey(), query.getValue(), Integer.parseInt(arguments[2]));
            }
            workers.halt();
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        report.memory(memory.peakKibibytes());
    }

    private void time(String name, String sql, int runs) {
        try {
            report.time(name, runs, () -> run(sql, false, name));
            run(sql, true, name);
        } catch (SqlException | RuntimeException refused) {
            report.error(name, refused);
        }
    }

    private void run(String sql, boolean reports, String name) throws SqlException {
        try (RecordCursorFactory factory = engine.select(sql, context);
                RecordCursor cursor = factory.getCursor(context)) {
            RecordMetadata metadata = factory.getMetadata();
            Record row = cursor.getRecord();
            while (cursor.hasNext()) {
                List<String> cells = reports ? new ArrayList<>() : null;
                for (int column = 0; column < metadata.getColumnCount(); column++) {
                    Object value = value(row, column, metadata.getColumnType(column));
                    if (reports) {
                        cells.add(value.toString());
                    }
                }
                if (reports) {
                    report.row(name, cells);
                }
            }
        }
    }

    /// - Errors: [IllegalStateException] for a type that no query of the suite returns.
    private Object value(Record row, int column, int type) {
        return switch (ColumnType.tagOf(type)) {
            case ColumnType.DOUBLE -> {
                double value = row.getDouble(column);
                sink += value;
                yield value;
            }
            case ColumnType.LONG -> row.getLong(column);
            case ColumnType.SYMBOL -> row.getSymA(column);
            case ColumnType.TIMESTAMP -> {
                long micros = row.getTimestamp(column);
                yield LocalDateTime.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), ZoneOffset.UTC)
                        .format(java.time.format.DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS"));
            }
            default -> throw new IllegalStateException("a column of " + ColumnType.nameOf(type));
        };
    }

    private void load(Path data) throws SqlException {
        try (DatasetCatalog catalog = DatasetCatalog.open(data);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Table table = snapshot.table("public", TABLE);
            StringBuilder create = new StringBuilder("create table " + TABLE + " (ts timestamp, name symbol");
            for (int column = 2; column < table.schema().size(); column++) {
                create.append(", ").append(table.schema().field(column).name()).append(" double");
            }
            engine.execute(create.append(") timestamp(ts) partition by day bypass wal"), context);
            int[] columns = new int[table.schema().size()];
            for (int column = 0; column < columns.length; column++) {
                columns[column] = column;
            }
            try (TableWriter writer = engine.getWriter(engine.verifyTableName(TABLE), "load")) {
                for (int number = 0; number < table.batchCount(); number++) {
                    try (Batch batch = table.read(number, columns)) {
                        append(batch, writer);
                    }
                    writer.commit();
                }
            }
        }
    }

    private static void append(Batch batch, TableWriter writer) {
        FixedColumn time = (FixedColumn) batch.column(0);
        String[] names = null;
        if (batch.column(1) instanceof DictionaryColumn coded) {
            names = new String[coded.dictionary().size()];
            for (int code = 0; code < names.length; code++) {
                names[code] = text(coded.dictionary().values(), code);
            }
        }
        for (int row = 0; row < batch.rowCount(); row++) {
            TableWriter.Row target = writer.newRow(time.values().getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, row));
            target.putSym(
                    1,
                    batch.column(1) instanceof DictionaryColumn coded
                            ? names[coded.code(row)]
                            : text((Utf8Column) batch.column(1), row));
            for (int index = 2; index < batch.columns().size(); index++) {
                Column column = batch.column(index);
                if (!column.type().equals(DataType.FLOAT64)) {
                    throw new IllegalStateException("a column of " + column.type());
                }
                target.putDouble(
                        index, ((FixedColumn) column).values().getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, row));
            }
            target.append();
        }
    }

    private static String text(Utf8Column column, int row) {
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
