package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of others are cut short, written again and replaced while statements read them: each statement gives the
/// rows of one of the file's states, or 58030, and the process lives on. It is one of its own, since its end is what is
/// feared.
class ChangingFilesTest {
    private static final int ROWS = 60_000;
    private static final int CLIENTS = 6;
    private static final Schema SCHEMA = Schema.of(
            new Field("n", DataType.INT64, false),
            new Field("plain", DataType.UTF8, true, "text"),
            new Field("coded", DataType.UTF8, false, "text"),
            new Field("price", DataType.FLOAT64, true));

    /// Statements whose rows are all one state's number, which stands in every value.
    private static final List<String> STATEMENTS = List.of(
            "select n, substr(plain, 6), substr(coded, 6), price::bigint, count(*) from t group by 1, 2, 3, 4",
            "select n from t where plain <> 'text ' and coded like 'code%'",
            "select min(n), max(n), avg(n)::bigint, min(substr(plain, 6)), max(substr(coded, 6)) from t",
            "select n, price::bigint from t order by plain, price desc limit 10",
            "select a.n, b.coded, count(*) from t a join u b on a.n = b.n group by 1, 2",
            "select count(*) from t where price > 0");

    @TempDir
    private Path folder;

    /// Reads until its standard input ends. Arguments: the dataset.
    public static final class Reader {
        private static final AtomicInteger STATES = new AtomicInteger();
        private static final AtomicInteger REFUSED = new AtomicInteger();
        private static volatile boolean isOver;

        private Reader() {}

        public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
            try (Engine engine = LocalEngine.open(
                            DatasetCatalog.open(Path.of(arguments[0])),
                            EngineConfig.defaults().withThreads(2));
                    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
                try (SqlSession session = engine.openSession("first")) {
                    STATEMENTS.forEach(sql -> check(sql, rows(session, sql)));
                }
                System.out.println("ready");
                List<Future<?>> clients = new ArrayList<>();
                for (int client = 0; client < CLIENTS; client++) {
                    int number = client;
                    clients.add(threads.submit(() -> read(engine, number)));
                }
                while (System.in.read() >= 0) {
                    // until the other process says that it is done
                }
                isOver = true;
                for (Future<?> client : clients) {
                    client.get();
                }
            }
            System.out.println("done states=" + STATES + " refused=" + REFUSED);
        }

        private static void read(Engine engine, int client) {
            Random random = new Random(client);
            try (SqlSession session = engine.openSession("client" + client)) {
                while (!isOver) {
                    String sql = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
                    try {
                        check(sql, rows(session, sql));
                        STATES.incrementAndGet();
                    } catch (QueryException e) {
                        // A file whose name is gone for a moment is no table then.
                        if (e.state() != SqlState.IO_ERROR && e.state() != SqlState.UNDEFINED_TABLE) {
                            throw new IllegalStateException(sql, e);
                        }
                        REFUSED.incrementAndGet();
                    }
                }
            }
        }

        private static void check(String sql, List<String> rows) {
            if (sql.contains("select count(*)")) {
                if (!rows.equals(List.of(String.valueOf(ROWS)))) {
                    throw new IllegalStateException(sql + " gives " + rows);
                }
                return;
            }
            if (sql.contains(" join ")) {
                return; // two files, of a state each
            }
            String state = rows.isEmpty() ? "" : rows.getFirst().split(" ")[0];
            for (String row : rows) {
                for (String value : row.split(" ")) {
                    if (!value.equals(state) && !value.equals(String.valueOf(ROWS))) {
                        throw new IllegalStateException(sql + " gives " + row + " after " + rows.getFirst());
                    }
                }
            }
            if (rows.isEmpty() || sql.contains(" where ") && rows.size() != ROWS) {
                throw new IllegalStateException(sql + " gives " + rows.size() + " rows");
            }
        }

        private static List<String> rows(SqlSession session, String sql) {
            List<String> rows = new ArrayList<>();
            for (ParsedStatement statement : session.parse(sql)) {
                try (Execution execution =
                        session.execute(session.prepare(statement, List.of()), List.of(), new Cancellation())) {
                    ResultCursor cursor = execution.cursor();
                    for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                        for (int row = 0; row < batch.rowCount(); row++) {
                            TextBuffer cells = new TextBuffer();
                            for (var column : batch.columns()) {
                                PgText.append(column, row, cells);
                                cells.append(' ');
                            }
                            rows.add(cells.toString().stripTrailing());
                        }
                        batch.close();
                    }
                } finally {
                    session.endImplicitTransaction();
                }
            }
            return rows;
        }
    }

    @Test
    void everyStatementSeesOneStateOrNone() throws IOException, InterruptedException {
        change(5);
    }

    @Test
    @Tag("nightly")
    void everyStatementSeesOneStateOrNoneForMinutes() throws IOException, InterruptedException {
        change(Integer.getInteger("quarrel.test.seconds", 240));
    }

    private void change(int seconds) throws IOException, InterruptedException {
        long seed = Long.getLong("quarrel.seed", System.nanoTime());
        System.out.println("ChangingFilesTest: -Dquarrel.seed=" + seed);
        Random random = new Random(seed);
        Path data = Files.createDirectory(folder.resolve("data"));
        List<byte[]> states = new ArrayList<>();
        for (int state = 0; state < 6; state++) {
            states.add(content(100_000 + state, state % 3 == 2));
        }
        Files.write(data.resolve("t.arrow"), states.get(0));
        Files.write(data.resolve("u.arrow"), states.get(1));
        Path out = folder.resolve("out");
        Process reader = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "--add-modules=jdk.incubator.vector",
                        "-XX:ErrorFile=" + folder.resolve("crash.log"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Reader.class.getName(),
                        data.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            while (!Files.readString(out).contains("ready") && reader.isAlive()) {
                Thread.sleep(50);
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < end && reader.isAlive()) {
                Path file = data.resolve(random.nextInt(4) == 0 ? "u.arrow" : "t.arrow");
                change(file, states.get(random.nextInt(states.size())), random);
                Thread.sleep(random.nextInt(4) == 0 ? 0 : random.nextInt(500));
            }
            reader.getOutputStream().close();
            assertThat(reader.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            reader.destroyForcibly();
        }
        String said = Files.readString(out);
        assertThat(reader.exitValue()).as(said).isZero();
        assertThat(said).containsPattern("done states=[1-9]\\d* refused=[1-9]");
        System.out.println(said.lines().reduce((_, last) -> last).orElse(""));
    }

    private static void change(Path file, byte[] state, Random random) throws IOException, InterruptedException {
        switch (random.nextInt(4)) {
            case 0 -> { // as mv does
                Path beside = file.resolveSibling("beside");
                Files.write(beside, state);
                Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
            }
            case 1 -> { // as cp does
                try (FileChannel channel =
                        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                    int pieces = random.nextInt(1, 40);
                    for (int piece = 0; piece < pieces; piece++) {
                        int from = (int) ((long) state.length * piece / pieces);
                        int to = (int) ((long) state.length * (piece + 1) / pieces);
                        channel.write(ByteBuffer.wrap(state, from, to - from));
                        if (random.nextInt(8) == 0) {
                            Thread.sleep(random.nextInt(10));
                        }
                    }
                }
            }
            case 2 -> { // cut short, and mended later
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(random.nextInt(state.length));
                    Thread.sleep(random.nextInt(100));
                }
                Files.write(file, state);
            }
            default -> { // gone for a moment under its name
                Path beside = file.resolveSibling("beside");
                Files.move(file, beside, StandardCopyOption.ATOMIC_MOVE);
                Files.write(beside, state);
                Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private byte[] content(int state, boolean isCompressed) throws IOException {
        Path path = folder.resolve("made.arrow");
        WriteOptions options = WriteOptions.PLAIN.withDurable(false).withDictionary("coded", 1);
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer =
                        ArrowFileWriter.create(path, SCHEMA, isCompressed ? options.withZstd(1) : options)) {
            for (int batch = 0; batch < 3; batch++) {
                List<ColumnWriter> writers = SCHEMA.fields().stream()
                        .map(field -> new ColumnWriter(field.type(), Allocator.of(arena)))
                        .toList();
                for (int row = 0; row < ROWS / 3; row++) {
                    writers.get(0).appendInt64(state);
                    writers.get(1).appendUtf8("text " + state);
                    writers.get(2).appendUtf8("code " + state);
                    writers.get(3).appendFloat64(state);
                }
                writer.append(Batch.view(SCHEMA, ColumnWriter.finishAll(writers), ROWS / 3));
            }
            writer.finish();
        }
        return Files.readAllBytes(path);
    }
}
