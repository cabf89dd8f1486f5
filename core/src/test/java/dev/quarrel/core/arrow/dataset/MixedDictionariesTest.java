package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables of which some files have a dictionary for a column, and others its texts.
final class MixedDictionariesTest {
    private static final Schema SCHEMA = new Schema(List.of(new Field("tag", DataType.UTF8, true)));
    private static final int FEW_ROWS = 1 << 16;

    @TempDir
    Path root;

    private final List<String> written = new ArrayList<>();

    @Test
    void fewPlainRowsAreCodes() {
        add(false, List.of());
        add(true, texts(0, 1000));
        add(false, List.of("tag 3"), texts(995, 70));
        add(false, nulls(5));
        add(true, texts(40, 20));
        assertCoded(true);
    }

    @Test
    void manyPlainRowsAreTexts() {
        add(true, texts(0, 10));
        add(false, texts(0, 11));
        assertCoded(false);
        add(true, texts(0, FEW_ROWS + 1));
        assertCoded(true);
        add(false, texts(3, FEW_ROWS));
        assertCoded(false);
    }

    @Test
    void longTextsAreTexts() {
        add(true, texts(0, 1000));
        add(false, List.of("long ".repeat(1 << 20)));
        assertCoded(false);
    }

    @Test
    void aTableWithoutDictionariesHasNone() {
        add(false, List.of());
        add(false, List.of());
        assertCoded(false);
    }

    @Test
    void deletedRowsAreNotThere() {
        add(true, texts(0, 100));
        add(false, texts(50, 4), texts(90, 3));
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "test")) {
            List<Manifest.FileEntry> files = run.before().tables().getFirst().files();
            run.change(
                    "public",
                    "t",
                    Map.of(
                            files.getFirst().path(), DeletedRows.of(new long[] {0, 99}),
                            files.getLast().path(), DeletedRows.of(new long[] {1, 4, 5})));
            run.commit(null, null);
        }
        for (int row : new int[] {105, 104, 101, 99, 0}) {
            written.remove(row);
        }
        assertCoded(true);
    }

    private static List<String> texts(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(row -> row % 7 == 0 ? null : row % 11 == 0 ? "" : "tag " + row % 100)
                .toList();
    }

    private static List<String> nulls(int count) {
        return IntStream.range(0, count).mapToObj(_ -> (String) null).toList();
    }

    @SafeVarargs
    private void add(boolean isCoded, List<String>... batches) {
        WriteOptions options = isCoded ? WriteOptions.PLAIN.withDictionary("tag", 2) : WriteOptions.PLAIN;
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, "test");
                ArrowFileWriter file = run.create("public", "t", SCHEMA, options);
                Arena arena = Arena.ofConfined()) {
            for (List<String> texts : batches) {
                ColumnWriter tags = isCoded
                        ? ColumnWriter.coded(DataType.UTF8, Allocator.of(arena), texts.size())
                        : new ColumnWriter(DataType.UTF8, Allocator.of(arena));
                texts.forEach(tags::append);
                file.append(Batch.view(SCHEMA, ColumnWriter.finishAll(List.of(tags)), texts.size()));
                written.addAll(texts);
            }
            run.add("public", "t", file.finish());
            run.commit(null, null);
        }
    }

    private void assertCoded(boolean isCoded) {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Table table = snapshot.table("public", "t");
            Dictionary dictionary = table.dictionary(0);
            assertThat(dictionary != null).isEqualTo(isCoded);
            List<String> found = new ArrayList<>();
            for (int index = 0; index < table.batchCount(); index++) {
                try (Batch batch = table.read(index, new int[] {0})) {
                    assertThat(batch.rowCount()).isEqualTo(table.batchRows(index));
                    addTexts(batch.column(0), dictionary, found);
                }
            }
            assertThat(found).isEqualTo(written);
        }
    }

    private static void addTexts(Column column, Dictionary dictionary, List<String> found) {
        for (int row = 0; row < column.rowCount(); row++) {
            if (!column.validity().isPresent(row)) {
                found.add(null);
            } else if (dictionary == null) {
                found.add(text((Utf8Column) column, row));
            } else {
                DictionaryColumn coded = (DictionaryColumn) column;
                assertThat(coded.dictionary().table()).isSameAs(dictionary);
                int[] codes = coded.dictionary().tableCodes();
                int code = coded.code(row);
                found.add(text(dictionary.values(), codes == null ? code : codes[code]));
            }
        }
    }

    private static String text(Utf8Column column, int row) {
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
