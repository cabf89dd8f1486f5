package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which keys a dataset claims of the tables that it was made from.
final class DeclaredKeysTest {
    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        TestPostgres.execute(
                "DROP SCHEMA IF EXISTS claims CASCADE",
                "CREATE SCHEMA claims",
                "SET search_path = claims, public",
                "CREATE TABLE plain (a int PRIMARY KEY, b text UNIQUE, c int, d int,"
                        + " CONSTRAINT pair UNIQUE (d, c), UNIQUE NULLS NOT DISTINCT (c))",
                "INSERT INTO plain VALUES (1, 'x', 1, 1), (2, NULL, 2, NULL), (3, NULL, NULL, 3)",
                "CREATE TABLE composite (gone int, z int, y text, x date, PRIMARY KEY (z, x) INCLUDE (y))",
                "ALTER TABLE composite DROP COLUMN gone",
                "CREATE TABLE late (a int PRIMARY KEY DEFERRABLE, b int UNIQUE DEFERRABLE INITIALLY DEFERRED, c int UNIQUE)",
                "CREATE TABLE indexes (a int, b text, c text, d int)",
                "CREATE UNIQUE INDEX whole ON indexes (a DESC, b)",
                "CREATE UNIQUE INDEX partial ON indexes (a) WHERE d > 0",
                "CREATE UNIQUE INDEX expression ON indexes (lower(b))",
                "CREATE UNIQUE INDEX mixed ON indexes (a, (d + 1))",
                "CREATE INDEX several ON indexes (c)",
                "CREATE UNIQUE INDEX patterns ON indexes (b text_pattern_ops)",
                "CREATE TABLE folded (a text, b text)",
                "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                "ALTER TABLE folded ADD c text COLLATE nocase, ADD d text COLLATE nocase",
                "CREATE UNIQUE INDEX by_bytes ON folded (c COLLATE \"C\")",
                "CREATE UNIQUE INDEX by_letters ON folded (d)",
                "CREATE UNIQUE INDEX coarser ON folded (a COLLATE nocase)",
                "CREATE TABLE parts (k int, v int, PRIMARY KEY (k, v)) PARTITION BY RANGE (k)",
                "CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE parts_high (v int NOT NULL, gone text, k int NOT NULL)",
                "ALTER TABLE parts_high DROP COLUMN gone",
                "ALTER TABLE parts ATTACH PARTITION parts_high FOR VALUES FROM (10) TO (20)",
                "CREATE TABLE half_keyed (k int, v int) PARTITION BY RANGE (k)",
                "CREATE TABLE half_keyed_low PARTITION OF half_keyed FOR VALUES FROM (0) TO (10)",
                "CREATE UNIQUE INDEX of_part ON half_keyed_low (v)",
                "CREATE UNIQUE INDEX unattached ON ONLY half_keyed (k)",
                "CREATE TABLE parent (a int PRIMARY KEY)",
                "CREATE TABLE child () INHERITS (parent)",
                "INSERT INTO parent VALUES (1)",
                "INSERT INTO child VALUES (1), (1)",
                "CREATE TABLE spans (r int4range, n int, EXCLUDE USING gist (r WITH &&), UNIQUE (r))",
                "CREATE TABLE numbers (n numeric PRIMARY KEY, m numeric(9,3) UNIQUE, f float8 UNIQUE,"
                        + " t timestamp UNIQUE NULLS NOT DISTINCT, u date NOT NULL UNIQUE)",
                "CREATE VIEW shown AS SELECT * FROM plain",
                "CREATE MATERIALIZED VIEW kept AS SELECT a FROM plain",
                "CREATE UNIQUE INDEX kept_a ON kept (a)",
                "CREATE TYPE pair_type AS (x int, y int)",
                "CREATE TABLE flat (p pair_type PRIMARY KEY, q int UNIQUE)");
    }

    private ExportConfig.Builder config(String... tables) {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .tables(tables);
    }

    private String keys(String table) {
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return snapshot.table("claims", table).uniqueKeys().stream()
                    .map(DeclaredKeysTest::text)
                    .collect(Collectors.joining("; "));
        }
    }

    private static String text(UniqueKey key) {
        return key.kind().text() + " " + key.name() + key.columns()
                + (key.nullsDistinct() ? "" : " nulls not distinct");
    }

    private String exported(String table) {
        Exporter.run(config("claims." + table).build());
        return keys(table);
    }

    @Test
    void keysComeInTheirOrderWithNamesAndNulls() {
        assertThat(exported("plain"))
                .isEqualTo("primary plain_pkey[a]; constraint pair[d, c]; constraint plain_b_key[b];"
                        + " constraint plain_c_key[c] nulls not distinct");
        assertThat(exported("composite")).isEqualTo("primary composite_pkey[z, x]");
    }

    @Test
    void onlyIndexesOverAllRowsAndPlainColumnsThatAreCheckedAtOnce() {
        assertThat(exported("late")).isEqualTo("constraint late_c_key[c]");
        assertThat(exported("indexes")).isEqualTo("index patterns[b]; index whole[a, b]");
        assertThat(exported("spans")).isEqualTo("constraint spans_r_key[r]");
    }

    @Test
    void anIndexThatTellsMoreApartThanTheColumnDoesNotCount() {
        assertThat(exported("folded")).isEqualTo("index by_letters[d]; index coarser[a]");
    }

    @Test
    void partitionsHaveTheKeysOfTheirWholeAndInheritedTablesNone() {
        assertThat(exported("parts")).isEqualTo("primary parts_pkey[k, v]");
        assertThat(exported("parts_high")).isEqualTo("primary parts_high_pkey[k, v]");
        assertThat(exported("half_keyed")).isEmpty();
        assertThat(exported("half_keyed_low")).isEqualTo("index of_part[v]");
        assertThat(exported("parent")).isEmpty();
        assertThat(exported("shown")).isEmpty();
        assertThat(exported("kept")).isEmpty();
    }

    @Test
    void aColumnThatIsLeftOutOrMadeOtherwiseTakesItsKeysAlong() {
        Exporter.run(config("claims.plain").excluded(List.of("plain.c")).build());
        assertThat(keys("plain")).isEqualTo("primary plain_pkey[a]; constraint plain_b_key[b]");
        assertThat(exported("numbers"))
                .isEqualTo("primary numbers_pkey[n]; constraint numbers_f_key[f]; constraint numbers_m_key[m];"
                        + " constraint numbers_t_key[t] nulls not distinct; constraint numbers_u_key[u]");
        ColumnRules halves =
                new ColumnRules(false, List.of("numbers.f"), Optional.empty(), Optional.empty(), false, List.of());
        Exporter.run(config("claims.numbers")
                .numeric(20, 2)
                .unfit(Unfit.Overflow.ERROR, Unfit.Infinity.NULL)
                .columns(halves)
                .build());
        assertThat(keys("numbers"))
                .isEqualTo("constraint numbers_m_key[m]; constraint numbers_t_key[t]; constraint numbers_u_key[u]");
        ColumnRules flat = new ColumnRules(true, List.of(), Optional.empty(), Optional.empty(), false, List.of());
        Exporter.run(config("claims.flat").columns(flat).build());
        assertThat(keys("flat")).isEqualTo("constraint flat_q_key[q]");
        ColumnRules folders =
                new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), false, List.of("c"));
        Exporter.run(config("claims.plain").columns(folders).build());
        assertThat(keys("plain")).isEqualTo("primary plain_pkey[a]; constraint plain_b_key[b]");
    }

    @Test
    void rowsOfSeveralRunsHaveNoKeysAndAQueryHasNone() {
        Exporter.run(config("claims.plain").append(true).build());
        assertThat(keys("plain")).startsWith("primary plain_pkey[a]");
        Exporter.run(config("claims.plain").append(true).build());
        assertThat(keys("plain")).isEmpty();
        assertThat(exported("plain")).startsWith("primary plain_pkey[a]");
        Exporter.run(config().query("plain", "SELECT * FROM claims.plain").build());
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "plain").uniqueKeys()).isEmpty();
        }
    }

    @Test
    void aReportHasThem() {
        exported("plain");
        assertThat(Inspection.of(folder, true).tables().getFirst().uniqueKeys()).hasSize(4);
    }
}
