package dev.quarrel.core.arrow.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.RandomBatch;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamedTableTest {
    private static final Schema NARROW = Schema.of(new Field("n", DataType.INT32, false));
    private static final Schema WIDE = Schema.of(new Field("n", DataType.INT64, false));

    @TempDir
    private Path folder;

    private Path root;
    private Path files;

    @BeforeEach
    void makeFolders() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
        files = Files.createDirectory(folder.resolve("files"));
    }

    private static void write(Path path, Schema schema, long... numbers) throws IOException {
        Files.createDirectories(path.getParent());
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema, WriteOptions.PLAIN.withDurable(false));
                Arena arena = Arena.ofConfined()) {
            ColumnWriter values = new ColumnWriter(schema.type(0), Allocator.of(arena));
            for (long number : numbers) {
                if (schema.type(0) instanceof DataType.Int32) {
                    values.appendInt32((int) number);
                } else {
                    values.appendInt64(number);
                }
            }
            writer.append(Batch.view(schema, List.of(values.finish()), numbers.length));
            writer.finish();
        }
    }

    private static SequencedMap<String, String> options(String... namesAndValues) {
        SequencedMap<String, String> options = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            options.put(namesAndValues[index], namesAndValues[index + 1]);
        }
        return options;
    }

    private static NamedTable table(String name, List<NamedTable.Column> columns, String... options) {
        return new NamedTable("public", name, columns, NamedTable.SERVER, options(options));
    }

    private static List<List<Object>> rows(Table table, String... columns) {
        return RandomBatch.rows(
                table, Arrays.stream(columns).mapToInt(table.schema()::indexOf).toArray());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    *.arrow                           | a.arrow                | {}
                    *.arrow                           | b/a.arrow              | -
                    **/*.arrow                        | c/b/a.arrow            | {}
                    **/*.arrow                        | a.arrow                | {}
                    **                                | c/b/a.arrow            | {}
                    ?.arrow                           | ab.arrow               | -
                    @{device}_@{year}_@{month}.arrow  | 7_2024_01.arrow        | {device=7, year=2024, month=01}
                    @{device}_@{year}_@{month}.arrow  | x_2024_01.arrow        | -
                    ${a}_${b}.arrow                   | x_y_z.arrow            | {a=x, b=y_z}
                    @{year}/@{month}/${name}.arrow    | 2024/12/web.arrow      | {year=2024, month=12, name=web}
                    @{year}/@{month}/${name}.arrow    | 2024/web.arrow         | -
                    v1.0-@{n}                         | v1x0-3                 | -
                    """)
    void patternsTakeKeys(String pattern, String path, String keys) {
        Map<String, String> found = new FilePattern(pattern).match(path);
        assertThat(found == null ? "-" : found.toString()).isEqualTo(keys);
    }

    @Test
    void patternsLeadIntoFoldersThatMayHoldTheirFiles() {
        FilePattern pattern = new FilePattern("@{year}/**/x*.arrow");
        assertThat(pattern.mayHold(List.of("2024"))).isTrue();
        assertThat(pattern.mayHold(List.of("new"))).isFalse();
        assertThat(pattern.mayHold(List.of("2024", "a", "b"))).isTrue();
        assertThat(new FilePattern("a/x.arrow").mayHold(List.of("a", "b"))).isFalse();
        assertThat(new FilePattern("x.arrow").mayHold(List.of("a"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"a//b", "../x", "${a}${a}", "${}x", "@{a b}", "''"})
    void patternsThatMakeNoSenseAreRefused(String pattern) {
        assertThatThrownBy(() -> new FilePattern(pattern))
                .isInstanceOf(QueryException.class)
                .satisfies(e -> assertThat(((QueryException) e).state()).isEqualTo(SqlState.INVALID_PARAMETER_VALUE));
    }

    @Test
    void aTableHasTheKeysOfItsFilesPathsAndIsFollowed() throws IOException {
        write(files.resolve("day=2024-01-01/web_7.arrow"), NARROW, 1, 2);
        write(files.resolve("day=2024-01-02/db_8.arrow"), WIDE, 3_000_000_000L);
        NamedTable logs = NamedTable.ofFiles("public", "logs", files + "/*/${kind}_@{node}.arrow");
        try (DatasetCatalog catalog = DatasetCatalog.open(root, null, folder, List.of(logs))) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                Table table = snapshot.table("public", "logs");
                assertThat(table.schema().fields().stream().map(Field::toString))
                        .containsExactly(
                                "n int64 not null",
                                "kind utf8",
                                "node int64",
                                "day date not null",
                                "$path utf8 not null",
                                "$file utf8 not null");
                assertThat(table.hiddenColumns()).isEqualTo(2);
                assertThat(rows(table, "n", "kind", "node", "$file"))
                        .containsExactly(
                                List.of(1L, "web", 7L, "web_7.arrow"),
                                List.of(2L, "web", 7L, "web_7.arrow"),
                                List.of(3_000_000_000L, "db", 8L, "db_8.arrow"));
                assertThat(table.batchStats(1, table.schema().indexOf("node")))
                        .isEqualTo(new ColumnStats(0, 8L, 8L, 1));
            }
            write(files.resolve("day=2024-01-03/web_9.arrow"), WIDE, 4);
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(rows(snapshot.table("public", "logs"), "n").getLast())
                        .isEqualTo(List.of(4L));
            }
            Files.delete(files.resolve("day=2024-01-01/web_7.arrow"));
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(rows(snapshot.table("public", "logs"), "n"))
                        .containsExactly(List.of(3_000_000_000L), List.of(4L));
            }
        }
    }

    @Test
    void aFileThatCannotBeReadHurtsOnlyWhoReadsIt() throws IOException {
        write(files.resolve("1.arrow"), WIDE, 1);
        Files.writeString(files.resolve("2.arrow"), "nonsense, and more of it");
        NamedTable logs = NamedTable.ofFiles("public", "t", files + "/@{k}.arrow");
        try (DatasetCatalog catalog = DatasetCatalog.open(root, null, folder, List.of(logs));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Table table = snapshot.table("public", "t");
            assertThat(table.fault()).isNull();
            assertThat(table.batchCount()).isEqualTo(2);
            assertThat(table.batchStats(1, table.schema().indexOf("k"))).isEqualTo(new ColumnStats(0, 2L, 2L, 1));
            assertThat(table.batchStats(1, 0)).isEqualTo(ColumnStats.UNKNOWN);
            table.read(0, new int[] {0}).close();
            assertThatThrownBy(() -> table.read(1, new int[] {})).hasMessageContaining("2.arrow");
            assertThatThrownBy(() -> table.read(1, new int[] {table.schema().indexOf("k")}))
                    .hasMessageContaining("2.arrow");
        }
    }

    private static void create(DatasetCatalog catalog, NamedTable table, List<Path> roots) {
        try (DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
            changes.name(table, roots);
            changes.commit(() -> {});
        }
    }

    @Test
    void namesAreKeptWithTheDataset() throws IOException {
        write(files.resolve("7_x.arrow"), WIDE, 1, 2);
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            NamedTable declared = table(
                    "t",
                    List.of(
                            new NamedTable.Column(new Field("n", DataType.INT64, true)),
                            NamedTable.Column.virtual(new Field("k", DataType.INT32, true), "k")),
                    "dir",
                    files.toString(),
                    "pattern",
                    "@{k}_*.arrow");
            assertThatThrownBy(() -> create(catalog, declared, List.of()))
                    .hasMessageContaining("permission denied for file");
            create(catalog, declared, List.of(files));
            assertThatThrownBy(() -> create(catalog, declared, List.of(files))).hasMessageContaining("already exists");
            NamedTable described = catalog.described(
                    table("u", List.of(), "dir", files.toString(), "pattern", "@{k}_${s}.arrow"), List.of(files));
            assertThat(described.columns().stream().map(column -> column.field().name()))
                    .containsExactly("n", "k", "s");
            assertThat(described.columns().get(1).options()).isEqualTo(options("virtual", "k"));
        }
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(rows(snapshot.table("public", "t"), "n", "k"))
                        .containsExactly(List.of(1L, 7L), List.of(2L, 7L));
                assertThat(snapshot.table("public", "t").foreign().columnOptions())
                        .isEqualTo(Map.of("k", List.of("virtual=k")));
            }
            try (DatasetTransaction changes = DatasetTransaction.begin(catalog)) {
                changes.dropNamed(List.of(List.of("public", "t")));
                changes.commit(() -> {});
            }
            try (CatalogSnapshot snapshot = catalog.snapshot()) {
                assertThat(snapshot.table("public", "t")).isNull();
            }
        }
        assertThat(NamedTables.read(root).tables()).isEmpty();
    }

    @Test
    void linksOutOfTheFoldersThatMayBeReadAreRefused() throws IOException {
        write(files.resolve("a.arrow"), WIDE, 1);
        Path link = Files.createSymbolicLink(root.resolve("_link"), files);
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            assertThatThrownBy(() -> create(catalog, table("t", List.of(), "dir", link.toString()), List.of()))
                    .satisfies(
                            e -> assertThat(((QueryException) e).state()).isEqualTo(SqlState.INSUFFICIENT_PRIVILEGE));
            assertThatThrownBy(() -> create(catalog, table("t", List.of(), "dir", root + "/x/../../files"), List.of()))
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void whatDoesNotFitIsRefusedAndNothingIsNamed() throws IOException {
        write(files.resolve("a.arrow"), WIDE, 1);
        List<NamedTable.Column> text = List.of(new NamedTable.Column(new Field("n", DataType.UTF8, true)));
        List<NamedTable.Column> key = List.of(NamedTable.Column.virtual(new Field("k", DataType.UTF8, true), "nokey"));
        try (DatasetCatalog catalog = DatasetCatalog.open(root)) {
            for (NamedTable wrong : List.of(
                    table("t", text, "file", files + "/a.arrow"),
                    table("t", text, "file", files + "/b.arrow"),
                    table("t", text, "dir", files + "/nowhere"),
                    table("t", List.of(), "dir", files.toString(), "suffix", ".feather"),
                    table("t", key, "dir", files.toString(), "pattern", "${name}.arrow"),
                    table("t", text, "fil", "x"),
                    table("t", text, "file", "x", "dir", "y"),
                    table("t", text))) {
                assertThatThrownBy(() -> create(catalog, wrong, List.of(files))).isInstanceOf(QueryException.class);
            }
        }
        assertThat(root.resolve(NamedTables.FILE_NAME)).doesNotExist();
    }

    @Test
    void twoClaimsToANameAreAnError() throws IOException {
        write(root.resolve("t.arrow"), WIDE, 1);
        write(files.resolve("a.arrow"), WIDE, 1);
        NamedTable named = NamedTable.ofFiles("public", "t", files + "/*.arrow");
        try (DatasetCatalog catalog = DatasetCatalog.open(root, null, folder, List.of(named));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "t").fault()).hasMessageContaining("is in the dataset");
        }
    }

    /// A folder of many files is listed by its time.
    @Test
    void aDatasetMayBeNamedTablesAlone() throws IOException {
        write(files.resolve("a.arrow"), WIDE, 5);
        NamedTable named = NamedTable.ofFiles("logs", "t", files + "/*.arrow");
        try (DatasetCatalog catalog = DatasetCatalog.open(null, null, folder, List.of(named));
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(rows(snapshot.table("logs", "t"), "n")).containsExactly(List.of(5L));
            assertThatThrownBy(() -> DatasetTransaction.begin(catalog)).hasMessageContaining("no dataset");
        }
    }
}
