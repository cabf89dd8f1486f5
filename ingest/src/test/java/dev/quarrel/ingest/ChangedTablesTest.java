package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.NamedView;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables that others make and change in the dataset, before events of theirs come and while some are in memory.
class ChangedTablesTest {
    private static final DataType INT32 = DataType.INT32;
    private static final DataType INT64 = DataType.INT64;

    @TempDir
    Path root;

    /// Makes or extends a table, as an export does, by one row of ones.
    private void write(String table, Field... fields) {
        Schema schema = new Schema(List.of(fields));
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "test");
                Arena arena = Arena.ofConfined();
                ArrowFileWriter file = run.create("public", table, schema, WriteOptions.PLAIN)) {
            List<Column> columns = schema.fields().stream()
                    .map(field -> {
                        ColumnWriter writer = new ColumnWriter(field.type(), Allocator.of(arena), 1);
                        writer.append(field.type() instanceof DataType.Utf8 ? (Object) "1" : (Object) 1L);
                        return writer.finish();
                    })
                    .toList();
            file.append(Batch.owning(schema, columns, 1, () -> {}));
            run.add("public", table, file.finish());
            run.commit(null, null);
        }
    }

    private static void send(Fixture fixture, String table, Map<String, ?>... events)
            throws IOException, InterruptedException {
        long before = fixture.ingest.counts().events() + fixture.ingest.counts().rejectedEvents();
        byte[][] packed = Stream.of(events)
                .map(event -> ForwardClient.event(Instant.EPOCH, event))
                .toArray(byte[][]::new);
        try (ForwardClient client = fixture.client()) {
            client.send(ForwardClient.packed(table, ForwardClient.events(packed), Map.of("chunk", table + before)));
            client.ack();
        }
    }

    private String rejected() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("_ingest/rejected"))) {
            return Files.readString(files.findFirst().orElseThrow());
        }
    }

    private IngestConfig never() {
        return IngestConfig.of(root).withClosing(Duration.ofHours(1), 1 << 30);
    }

    /// One event without a value that its table must have would keep all tables' rows out of files, for good.
    @Test
    void notNullHoldsForEvents() throws Exception {
        write("nn", new Field("id", INT64, false), new Field("w", INT64, true));
        try (Fixture fixture = new Fixture(never())) {
            send(fixture, "nn", Map.of("id", 7, "w", 1), Map.of("w", 2), Map.of("id", "x"));
            send(fixture, "good", Map.of("a", 1));
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows("nn", "id", "w")).containsExactly("1|1", "7|1");
                assertThat(fixture.rows("good", "a")).containsExactly("1");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
            assertThat(fixture.ingest.counts().rejectedEvents()).isEqualTo(2);
        }
        assertThat(rejected())
                .contains("null value in column \\\"id\\\" of relation \\\"nn\\\" violates not-null constraint");
    }

    @Test
    void tablesThatAppearAreSeen() throws Exception {
        try (Fixture fixture = new Fixture(never())) {
            write("pl", new Field("x", INT32, true));
            send(fixture, "pl", Map.of("x", 5), Map.of("x", 1L << 40), Map.of("x", "five"));
            send(fixture, "good", Map.of("a", 1));
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows("pl", "x", "x_text"))
                        .containsExactlyInAnyOrder("1|-", "5|-", "-|1099511627776", "-|five");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
            assertThat(fixture.rows("good", "a")).containsExactly("1");
        }
    }

    /// Rows in memory are made anew at once, and those that the table does not take now lie aside.
    @Test
    void rowsInMemoryBecomeThoseOfATableThatAppears() throws Exception {
        try (Fixture fixture = new Fixture(never())) {
            send(
                    fixture,
                    "pl",
                    Map.of("x", 5, "d", Map.of("k", 1), "t", "text", "f", 1.5, "b", true),
                    Map.of("x", 1L << 40),
                    Map.of("t", "no x"));
            assertThat(fixture.rows("pl", "x")).containsExactly("5", "1099511627776", "-");
            write("pl", new Field("x", INT32, false), new Field("t", INT64, true));
            assertThat(fixture.rows("pl", "x", "t", "t_text", "d", "f", "b"))
                    .containsExactly("1|1|-|-|-|-", "5|-|text|{\"k\": 1}|1.5|t");
            send(fixture, "pl", Map.of("x", 6, "t", 2), Map.of("x", "six"));
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows("pl", "x", "t", "t_text", "d", "f", "b", "tag"))
                        .containsExactly("1|1|-|-|-|-|-", "5|-|text|{\"k\": 1}|1.5|t|pl", "6|2|-|-|-|-|pl");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
        }
        assertThat(rejected().lines()).hasSize(3).anyMatch(line -> line.contains("\"x\": 1099511627776"));
    }

    /// Nobody can tell whether an event is the second of its key when it is acknowledged.
    @Test
    void tablesWithKeysTakeNoEvents() throws Exception {
        write("keyed", new Field("id", INT64, false));
        try (Fixture fixture = new Fixture(never())) {
            send(fixture, "keyed", Map.of("id", 1), Map.of("id", 2));
            try (DatasetTransaction changes = DatasetTransaction.begin(fixture.catalog)) {
                changes.addKey(
                        "public",
                        "keyed",
                        new UniqueKey("keyed_pkey", UniqueKey.Kind.PRIMARY, List.of("id"), true, true));
                changes.commit(() -> {});
            }
            send(fixture, "keyed", Map.of("id", 3));
            send(fixture, "good", Map.of("a", 1));
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            assertThat(fixture.rows("keyed", "id")).containsExactly("1");
            assertThat(fixture.rows("good", "a")).containsExactly("1");
        }
        assertThat(rejected()).contains("\\\"keyed\\\" has keys that its rows are held to, and takes no events");
    }

    @Test
    void columnsThatAreAddedAndTablesThatGoAreSeen() throws Exception {
        try (Fixture fixture = new Fixture(never())) {
            send(fixture, "w", Map.of("a", 1));
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            try (DatasetTransaction changes = DatasetTransaction.begin(fixture.catalog)) {
                changes.addColumn("public", "w", new Field("z", INT32, true), null, null);
                changes.commit(() -> {});
            }
            send(fixture, "w", Map.of("a", 2, "z", 3), Map.of("a", 3, "z", 1.5));
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows("w", "a", "z", "z_text")).containsExactly("1|-|-", "2|3|-", "3|-|1.5");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
            try (DatasetTransaction changes = DatasetTransaction.begin(fixture.catalog)) {
                changes.dropTables(Set.of(List.of("public", "w")));
                changes.commit(() -> {});
            }
            send(fixture, "w", Map.of("a", "text", "z", 1.5));
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows("w", "a", "z")).containsExactly("text|1.5");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
        }
    }

    @Test
    void aTableOfEventsThatWasDroppedBeginsAnew() throws Exception {
        try (Fixture fixture = new Fixture(never())) {
            send(fixture, "dr", Map.of("x", 1));
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            Thread.sleep(200); // so that it is seen in its files, and not only what comes after
            try (DatasetTransaction changes = DatasetTransaction.begin(fixture.catalog)) {
                changes.dropTables(Set.of(List.of("public", "dr")));
                changes.commit(() -> {});
            }
            send(fixture, "dr", Map.of("x", "text"));
            assertThat(fixture.rows("dr", "x")).containsExactly("text");
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            assertThat(fixture.rows("dr", "x")).containsExactly("text");
        }
    }

    @Test
    void aViewTakesNoEvents() throws Exception {
        try (Fixture fixture = new Fixture(never())) {
            try (DatasetTransaction changes = DatasetTransaction.begin(fixture.catalog)) {
                changes.createView(
                        new NamedView(
                                "public", "v1", List.of(new Field("a", INT64, true)), view("SELECT 1::bigint AS a")),
                        false);
                changes.commit(() -> {});
            }
            send(fixture, "v1", Map.of("a", 2));
            send(fixture, "good", Map.of("a", 1));
            assertThat(fixture.ingest.counts().rejectedEvents()).isEqualTo(1);
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            assertThat(fixture.rows("good", "a")).containsExactly("1");
        }
        assertThat(rejected()).contains("\\\"v1\\\" is a view or a foreign table, and takes no events");
    }

    private static ViewDefinition view(String query) {
        return new ViewDefinition(query, List.of("a"), List.of("public"), List.of());
    }

    /// Whatever keeps one table's rows from being written, others' are; the rows are not lost.
    @Test
    void rowsThatCannotBeWrittenLieAside() throws Exception {
        try (Fixture fixture = new Fixture(never())) {
            send(fixture, "bad", Map.of("a", 1));
            send(fixture, "good", Map.of("a", 2));
            Files.writeString(root.resolve("bad"), "a file where the table's folder is to be");
            assertThat(fixture.ingest.flush(30_000)).isTrue();
            assertThat(fixture.ingest.counts().asideRows()).isEqualTo(1);
            assertThat(fixture.rows("good", "a")).containsExactly("2");
            assertThat(fixture.rows("bad", "a")).isEmpty();
            send(fixture, "good", Map.of("a", 3));
            assertThat(fixture.ingest.flush(30_000)).isTrue();
        }
        try (Stream<Path> files = Files.walk(root.resolve("_ingest/aside"))) {
            assertThat(files.filter(Files::isRegularFile).map(Path::toString))
                    .singleElement()
                    .asString()
                    .endsWith("/bad/0.arrow");
        }
        try (Fixture again = new Fixture(never())) {
            assertThat(again.rows("good", "a")).containsExactly("2", "3");
        }
    }
}
