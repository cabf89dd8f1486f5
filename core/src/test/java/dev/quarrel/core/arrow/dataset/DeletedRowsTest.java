package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows that a manifest says are deleted: no reader sees them.
final class DeletedRowsTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final Schema SCHEMA = new Schema(List.of(
            new Field("id", DataType.INT32, false),
            new Field("big", DataType.INT64, true),
            new Field("flag", DataType.BOOL, true),
            new Field("text", DataType.UTF8, true),
            new Field("tag", DataType.UTF8, true)));

    @TempDir
    Path root;

    @Test
    void aTextOfNumbersGivesThemBack() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            long bound = 1L << 1 + random.nextInt(40);
            TreeSet<Long> rows = new TreeSet<>();
            for (int count = random.nextInt(300); count > 0; count--) {
                rows.add(Math.floorMod(random.nextLong(), bound));
            }
            long[] sorted = rows.stream().mapToLong(Long::longValue).toArray();
            DeletedRows deleted = DeletedRows.of(sorted);
            assertThat(deleted.rows(bound)).as("seed %d", SEED).isEqualTo(sorted);
            if (sorted.length > 2) {
                long[] one = {sorted[1]};
                long[] others =
                        LongStream.of(sorted).filter(row -> row != one[0]).toArray();
                assertThat(DeletedRows.of(others).with(one, bound)).isEqualTo(deleted);
            }
        }
        assertThat(DeletedRows.NONE.rows(0)).isEmpty();
    }

    @Test
    void aBrokenTextIsAnError() {
        DeletedRows three = DeletedRows.of(new long[] {0, 5, 300});
        assertThatThrownBy(() -> three.rows(300)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeletedRows(4, three.gaps()).rows(1000))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeletedRows(2, three.gaps()).rows(1000))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeletedRows(1, "gA==").rows(1000)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeletedRows(1, "!").rows(1000)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String text(int row) {
        return row % 7 == 0 ? null : "text of ".repeat(row % 4) + row;
    }

    private static Batch batch(int first, int rowCount, Allocator memory) {
        ColumnWriter ids = new ColumnWriter(DataType.INT32, memory);
        ColumnWriter bigs = new ColumnWriter(DataType.INT64, memory);
        ColumnWriter flags = new ColumnWriter(DataType.BOOL, memory);
        ColumnWriter texts = new ColumnWriter(DataType.UTF8, memory);
        ColumnWriter tags = ColumnWriter.coded(DataType.UTF8, memory, rowCount);
        for (int row = first; row < first + rowCount; row++) {
            ids.appendInt32(row);
            bigs.append(row % 5 == 0 ? null : row * 1000L);
            flags.append(row % 11 == 0 ? null : row % 3 == 0);
            texts.append(text(row));
            tags.append(row % 13 == 0 ? null : "tag " + row % 6);
        }
        return Batch.view(SCHEMA, ColumnWriter.finishAll(List.of(ids, bigs, flags, texts, tags)), rowCount);
    }

    private void write(WriteOptions options, int... batchRows) {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "test");
                ArrowFileWriter file = run.create("public", "t", SCHEMA, options.withDictionary("tag", 2));
                Arena arena = Arena.ofConfined()) {
            int first = 0;
            for (int rows : batchRows) {
                file.append(batch(first, rows, Allocator.of(arena)));
                first += rows;
            }
            run.add("public", "t", file.finish());
            run.commit(null, null);
        }
    }

    private void delete(TreeSet<Integer> rows) {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "test")) {
            String path = run.before().tables().getFirst().files().getFirst().path();
            run.change(
                    "public",
                    "t",
                    Map.of(
                            path,
                            DeletedRows.of(
                                    rows.stream().mapToLong(Integer::longValue).toArray())));
            run.commit(null, null);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void readersSeeTheOthers(int kind) {
        Random random = new Random(SEED);
        WriteOptions options =
                switch (kind) {
                    case 0 -> WriteOptions.PLAIN;
                    case 1 -> WriteOptions.PLAIN.withZstd(1);
                    default -> WriteOptions.PLAIN.withLargeOffsets(true);
                };
        int[] batchRows = {1000, 1, 64, 3000, 63};
        int all = 4128;
        write(options, batchRows);
        for (int part : new int[] {1, 2, 50, 1000}) {
            TreeSet<Integer> deleted = new TreeSet<>(List.of(0, 1000, all - 1));
            for (int row = 0; row < all; row++) {
                if (random.nextInt(part) == 0 || part > 1 && row > 1000 && row <= 1064) {
                    deleted.add(row);
                }
            }
            if (part == 1) {
                deleted.remove(77); // of a file without rows nothing is left
            }
            delete(deleted);
            try (DatasetCatalog catalog = DatasetCatalog.open(root);
                    CatalogSnapshot snapshot = catalog.snapshot()) {
                assertRows(snapshot.table("public", "t"), deleted, all);
            }
            assertThat(Inspection.of(root, true).isSound()).isTrue();
            assertThat(Inspection.of(root, true).tables().getFirst().rowCount()).isEqualTo(all - deleted.size());
        }
    }

    private static void assertRows(Table table, TreeSet<Integer> deleted, int all) {
        assertThat(table.fault()).isNull();
        assertThat(table.stats().rowCount()).isEqualTo(all - deleted.size());
        List<String> found = new ArrayList<>();
        for (int index = 0; index < table.batchCount(); index++) {
            try (Batch batch = table.read(index, new int[] {0, 1, 2, 3, 4})) {
                assertThat(batch.rowCount()).isEqualTo(table.batchRows(index));
                for (int row = 0; row < batch.rowCount(); row++) {
                    StringBuilder line = new StringBuilder();
                    for (Column column : batch.columns()) {
                        line.append(value(column, row)).append('|');
                    }
                    found.add(line.toString());
                }
            }
        }
        List<String> expected = new ArrayList<>();
        for (int row = 0; row < all; row++) {
            if (!deleted.contains(row)) {
                expected.add(row + "|" + (row % 5 == 0 ? null : row * 1000L) + "|"
                        + (row % 11 == 0 ? null : row % 3 == 0) + "|" + text(row) + "|"
                        + (row % 13 == 0 ? null : "tag " + row % 6) + "|");
            }
        }
        assertThat(found).as("seed %d", SEED).isEqualTo(expected);
    }

    private static Object value(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return null;
        }
        return switch (column) {
            case FixedColumn fixed
            when fixed.type().byteWidth() == 4 -> fixed.values().get(LittleEndian.INT32, row * 4L);
            case FixedColumn fixed -> fixed.values().get(LittleEndian.INT64, row * 8L);
            case BoolColumn bool -> (bool.bits().get(ValueLayout.JAVA_BYTE, row >> 3) >> (row & 7) & 1) != 0;
            case Utf8Column text -> string(text, row);
            case DictionaryColumn coded -> string(coded.dictionary().values(), coded.code(row));
        };
    }

    private static String string(Utf8Column text, int row) {
        return new String(text.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Test
    void anOpenCatalogSeesADeletionAndKeysFindRows() {
        write(WriteOptions.PLAIN, 500);
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot before = catalog.snapshot()) {
            StoredKeys stored =
                    new StoredKeys(root, Manifest.read(root).tables().getFirst(), List.of("id"));
            KeySet keys = new KeySet(new KeyCodes(stored.columns()));
            try (Arena arena = Arena.ofConfined()) {
                keys.add(batch(100, 50, Allocator.of(arena)).columns().subList(0, 1), 50);
                keys.add(batch(140, 20, Allocator.of(arena)).columns().subList(0, 1), 20);
                keys.add(batch(0, 1, Allocator.of(arena)).columns().subList(0, 1), 1);
            }
            assertThat(keys.size()).isEqualTo(61);
            assertThat(stored.delete(keys, true)).isEqualTo(61);
            assertThat(stored.delete(keys, true)).isZero();
            try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "test")) {
                run.change("public", "t", stored.deleted());
                run.commit(null, null);
            }
            try (CatalogSnapshot after = catalog.snapshot()) {
                assertThat(before.table("public", "t").stats().rowCount()).isEqualTo(500);
                assertThat(after.table("public", "t").stats().rowCount()).isEqualTo(439);
            }
            assertThat(stored.delete(keys, false)).isEqualTo(439);
            assertThat(stored.rowCount()).isZero();
        }
    }

    @Test
    void keysOfTextsAndWideOnesAreFoundToo() {
        write(WriteOptions.PLAIN, 700, 300);
        Manifest.TableEntry table = Manifest.read(root).tables().getFirst();
        StoredKeys stored = new StoredKeys(root, table, List.of("id", "tag", "text"));
        KeySet keys = new KeySet(new KeyCodes(new Schema(List.of(SCHEMA.field(0), SCHEMA.field(4), SCHEMA.field(3)))));
        assertThat(stored.delete(keys, true)).isZero(); // where a value is NULL, the row is in no set
        assertThatThrownBy(() -> stored.delete(keys, false)).hasMessageContaining("of a key contains null values");
        StoredKeys wide = new StoredKeys(root, table, List.of("id"));
        KeySet some = new KeySet(new KeyCodes(wide.columns()));
        assertThat(wide.delete(some, true)).isZero();
        assertThat(wide.delete(some, false)).isEqualTo(1000);
    }

    @Test
    void aManifestOfDeletedRowsIsOfAnotherFormat() throws Exception {
        write(WriteOptions.PLAIN, 10);
        assertThat(Files.readString(root.resolve("_manifest.json"))).contains("\"format\" : 1");
        delete(new TreeSet<>(List.of(3)));
        String text = Files.readString(root.resolve("_manifest.json"));
        assertThat(text).contains("\"format\" : 2").contains("\"deleted\"");
        Files.writeString(root.resolve("_manifest.json"), text.replace("\"gaps\" : \"Aw==\"", "\"gaps\" : \"Cg==\""));
        assertThatThrownBy(() -> Manifest.read(root)).hasMessageContaining("deleted rows are wrong");
    }
}
