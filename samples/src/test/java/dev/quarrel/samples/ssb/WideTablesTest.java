package dev.quarrel.samples.ssb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `lineorder_flat` and `readings`: what stands in their files.
final class WideTablesTest {
    private static final SsbScale SMALL = new SsbScale(0.005, 7);
    private static final int READINGS = 300_001;

    @TempDir
    private Path folder;

    @Test
    void flatIsTheJoinOfTheTables() throws Exception {
        new SsbDataset(new SsbGenerator(SMALL), 2, "date").withFlat().write(folder, _ -> {});
        Map<String, Map<String, String>> dimensions = new HashMap<>();
        List<Map<String, String>> lines = new ArrayList<>();
        List<Map<String, String>> flat = new ArrayList<>();
        open(folder, catalog -> {
            for (String name : List.of("customer", "supplier", "part", "date")) {
                Schema schema = catalog.table("public", name).schema();
                for (Map<String, String> row : rows(catalog, name)) {
                    dimensions.put(name + row.get(schema.field(0).name()), row);
                }
            }
            lines.addAll(rows(catalog, "lineorder"));
            flat.addAll(rows(catalog, "lineorder_flat"));
            assertThat(catalog.table("public", "lineorder_flat").schema().size())
                    .isGreaterThanOrEqualTo(20);
        });
        assertThat(flat).hasSameSizeAs(lines);
        for (int row = 0; row < flat.size(); row++) {
            Map<String, String> joined = new HashMap<>(lines.get(row));
            joined.putAll(dimensions.get("customer" + joined.get("lo_custkey")));
            joined.putAll(dimensions.get("supplier" + joined.get("lo_suppkey")));
            joined.putAll(dimensions.get("part" + joined.get("lo_partkey")));
            joined.putAll(dimensions.get("date" + joined.get("lo_orderdate")));
            assertThat(joined).containsAllEntriesOf(flat.get(row));
        }
    }

    @Test
    void plainTextHasTheSameRows() throws Exception {
        Path plain = folder.resolve("plain");
        Path coded = folder.resolve("coded");
        new SsbDataset(new SsbGenerator(SMALL), 1, "date")
                .withFlat()
                .withPlainText()
                .write(plain, _ -> {});
        new SsbDataset(new SsbGenerator(SMALL), 3, "date").withFlat().write(coded, _ -> {});
        List<Map<String, String>> rows = new ArrayList<>();
        open(plain, catalog -> {
            rows.addAll(rows(catalog, "lineorder_flat"));
            assertThat(isCoded(catalog, "lineorder_flat", "c_region")).isFalse();
        });
        open(coded, catalog -> {
            assertThat(rows(catalog, "lineorder_flat")).isEqualTo(rows);
            assertThat(isCoded(catalog, "lineorder_flat", "c_region")).isTrue();
        });
    }

    @Test
    void readingsAscendInTimeWhateverTheThreads() throws Exception {
        Path one = folder.resolve("one");
        Path three = folder.resolve("three");
        assertThat(new ReadingsDataset(READINGS, 5, 1, false).write(one, _ -> {}))
                .isEqualTo(READINGS);
        new ReadingsDataset(READINGS, 5, 3, false).write(three, _ -> {});
        List<Map<String, String>> rows = new ArrayList<>();
        open(one, catalog -> {
            rows.addAll(rows(catalog, "readings"));
            Table table = catalog.table("public", "readings");
            assertThat(table.schema().fields().stream()
                            .filter(field -> field.type().equals(DataType.FLOAT64)))
                    .hasSize(7);
            assertThat(table.stats().rowCount()).isEqualTo(READINGS);
            assertThat(table.sortedBy()).containsExactly(0);
            assertThat(table.batchCount()).isGreaterThan(2);
            for (int batch = 1; batch < table.batchCount(); batch++) {
                assertThat((Long) table.batchStats(batch, 0).min())
                        .isGreaterThan((Long) table.batchStats(batch - 1, 0).max());
            }
        });
        open(three, catalog -> assertThat(rows(catalog, "readings")).isEqualTo(rows));
        assertThat(rows).hasSize(READINGS);
        assertThat(rows.getFirst()).containsEntry("ts", "2016-01-01 00:00:00");
        assertThat(rows.get(1)).containsEntry("ts", "2016-01-01 00:00:00.0025");
        double latitudes = 0;
        for (int row = 1; row < READINGS; row++) {
            Map<String, String> values = rows.get(row);
            assertThat(values.get("ts")).isGreaterThan(rows.get(row - 1).get("ts"));
            assertThat(values.get("name")).startsWith("truck_");
            double latitude = Double.parseDouble(values.get("latitude"));
            assertThat(Math.abs(latitude)).isLessThanOrEqualTo(90);
            latitudes += latitude;
        }
        assertThat(Math.abs(latitudes / READINGS)).isLessThan(1);
    }

    @Test
    void anotherSeedGivesOtherReadings() throws Exception {
        Path one = folder.resolve("one");
        Path two = folder.resolve("two");
        new ReadingsDataset(100, 1, 1, true).write(one, _ -> {});
        new ReadingsDataset(100, 2, 1, true).write(two, _ -> {});
        List<Map<String, String>> rows = new ArrayList<>();
        open(one, catalog -> rows.addAll(rows(catalog, "readings")));
        open(two, catalog -> assertThat(rows(catalog, "readings")).doesNotContainAnyElementsOf(rows));
        assertThatThrownBy(() -> new ReadingsDataset(0, 1, 1, false)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void open(Path root, Consumer<CatalogSnapshot> test) throws IOException {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            test.accept(snapshot);
        }
    }

    private static boolean isCoded(CatalogSnapshot catalog, String name, String column) {
        Table table = catalog.table("public", name);
        try (Batch batch = table.read(0, all(table))) {
            return batch.column(table.schema().indexOf(column)) instanceof DictionaryColumn;
        }
    }

    private static int[] all(Table table) {
        return IntStream.range(0, table.schema().size()).toArray();
    }

    private static List<Map<String, String>> rows(CatalogSnapshot catalog, String name) {
        Table table = catalog.table("public", name);
        List<Map<String, String>> rows = new ArrayList<>();
        TextBuffer cell = new TextBuffer();
        for (int number = 0; number < table.batchCount(); number++) {
            try (Batch batch = table.read(number, all(table))) {
                for (int row = 0; row < batch.rowCount(); row++) {
                    Map<String, String> values = new HashMap<>();
                    for (int index = 0; index < table.schema().size(); index++) {
                        Column column = batch.column(index);
                        cell.clear();
                        PgText.append(column, row, cell);
                        values.put(table.schema().field(index).name(), cell.toString());
                    }
                    rows.add(values);
                }
            }
        }
        return rows;
    }
}
