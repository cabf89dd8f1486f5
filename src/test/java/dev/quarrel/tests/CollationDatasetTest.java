package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.collate.CharacterKinds;
import dev.quarrel.core.collate.LetterCase;
import dev.quarrel.core.collate.SortKeys;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.Collation;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Databases whose default collation is not "C", exported, answer as they did in PostgreSQL; and orders that are not
/// PostgreSQL's are told.
class CollationDatasetTest {
    private static final String TABLE = """
            CREATE TABLE t (id int4 NOT NULL, w text, v varchar(12), c text COLLATE "C", f char(9) COLLATE "fr-x-icu",
                d text[]);
            INSERT INTO t SELECT row_number() OVER (), w, w, w, w, ARRAY[w] FROM unnest('{b,B,a,A,ä,Ä,z,é,E,e,ß,SS,ss,ﬁ,
                İ,i,ı,٣x,3x,"x y",x-y,xy,Ω,ω,"",straße,Öl,öl,Ol,_,Ǆ}'::text[]) w;
            INSERT INTO t (id) VALUES (99);
            CREATE VIEW shown AS SELECT id, w || 'x' AS x, c FROM t""";

    private static final List<String> QUERIES = List.of(
            "SELECT id FROM t ORDER BY w, id",
            "SELECT id FROM t ORDER BY w DESC NULLS LAST, id LIMIT 7",
            "SELECT id FROM t WHERE w < 'b' ORDER BY id",
            "SELECT id FROM t WHERE v BETWEEN 'a' AND 'f' ORDER BY id",
            "SELECT id FROM t WHERE c < 'b' ORDER BY id",
            "SELECT id FROM t WHERE w > c ORDER BY id",
            "SELECT id FROM t ORDER BY c, id",
            "SELECT id FROM t ORDER BY f, id",
            "SELECT id FROM t ORDER BY w COLLATE \"C\", id",
            "SELECT id FROM t ORDER BY w COLLATE \"default\", id",
            "SELECT max(w), min(v), max(c), max(f) FROM t",
            "SELECT id FROM shown ORDER BY x, id",
            "SELECT id FROM q ORDER BY x, y, id",
            "SELECT id FROM q WHERE y < 'b' ORDER BY id",
            "SELECT 'a' < 'B', 'Z' < 'a' COLLATE \"default\", greatest('a', 'B'), 'é' < 'f'",
            "SELECT x FROM (VALUES ('b'), ('A'), ('a'), ('B')) v(x) ORDER BY x",
            "SELECT id, upper(w), lower(w), initcap(w) FROM t ORDER BY id",
            "SELECT id, upper(c), lower(c), initcap(f) FROM t ORDER BY id",
            "SELECT upper('ä'), lower('É'), initcap('ÉTÉ là'), upper('é' COLLATE \"C\")",
            "SELECT id FROM t WHERE w ILIKE 'ö%' ORDER BY id",
            "SELECT id FROM t WHERE w ~ '^\\w$' ORDER BY id",
            "SELECT id FROM t WHERE w ~ '\\d' ORDER BY id",
            "SELECT id FROM t WHERE w ~* '^Ö' ORDER BY id",
            "SELECT id FROM t WHERE c ~ '^\\w$' ORDER BY id",
            "SELECT id FROM t WHERE w ~ '[[:upper:]]' ORDER BY id",
            "SELECT id, regexp_replace(w, '[^[:alnum:]]', '.', 'g'), regexp_match(w, '\\m\\w') FROM t ORDER BY id",
            "SELECT id FROM t WHERE w SIMILAR TO '[[:lower:]]%' ORDER BY id",
            "SELECT id, rank() OVER (ORDER BY w) FROM t ORDER BY id");

    @ParameterizedTest
    @CsvSource({
        "icu_de, LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C', i, de",
        "icu_rules, LOCALE_PROVIDER icu ICU_LOCALE 'und' ICU_RULES '&a < z' LOCALE 'C', i, und",
        "icu_upper, LOCALE_PROVIDER icu ICU_LOCALE 'en-u-kf-upper' LOCALE 'C', i, en-u-kf-upper",
        "builtin_simple, LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C', b, C.UTF-8",
        "builtin_full, LOCALE_PROVIDER builtin BUILTIN_LOCALE 'PG_UNICODE_FAST' LOCALE 'C', b, PG_UNICODE_FAST",
        "of_system, LOCALE_PROVIDER libc LOCALE 'C.utf8', c, C.utf8"
    })
    void aDatabaseAnswersByItsDefault(String name, String options, String provider, String locale) throws Exception {
        try (Connection postgres = database(name, options)) {
            Path root = exported(name);
            assertThat(Manifest.read(root).collation())
                    .extracting(Collation::provider, Collation::locale)
                    .containsExactly(Collation.Provider.of(provider), locale);
            try (QuarrelServer server = QuarrelServer.start(root, Configuration.ALL.getFirst());
                    Connection quarrel = server.connect()) {
                SoftAssertions problems = new SoftAssertions();
                for (String query : QUERIES) {
                    problems.assertThat(SqlAnswer.of(quarrel, query))
                            .as(query)
                            .isEqualTo(SqlAnswer.of(postgres, query));
                }
                problems.assertThat(SqlAnswer.of(quarrel, CATALOG)).isEqualTo(SqlAnswer.of(postgres, CATALOG));
                problems.assertThat(SqlAnswer.of(quarrel, DATABASE))
                        .isEqualTo(SqlAnswer.of(postgres, DATABASE.replace("quarrel", name)));
                problems.assertAll();
            }
        }
    }

    private static final String CATALOG = """
            SELECT attname, collname, collprovider, colllocale, collicurules FROM pg_attribute
            LEFT JOIN pg_collation c ON c.oid = attcollation WHERE attrelid = 't'::regclass AND attnum > 0
            ORDER BY attnum""";
    private static final String DATABASE =
            "SELECT datlocprovider, datcollate, datctype, datlocale, daticurules, datcollversion FROM pg_database"
                    + " WHERE datname = 'quarrel'";

    private static Connection database(String name, String options) throws SQLException {
        PostgresOracle.shared().run("DROP DATABASE IF EXISTS " + name);
        PostgresOracle.shared().run("CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8' " + options);
        Connection connection = DriverManager.getConnection(url(name));
        try (Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
            statement.execute("CREATE TABLE q AS SELECT id, w AS x, c AS y FROM t");
            statement.execute("ALTER TABLE q ALTER y TYPE text COLLATE \"C\"");
        }
        return connection;
    }

    private static String url(String name) {
        return PostgresOracle.shared().url().replace("/postgres?", "/" + name + "?");
    }

    private static Path exported(String name) throws IOException {
        Path root = Files.createTempDirectory("quarrel-collation");
        Exporter.run(ExportConfig.builder(PostgresSource.parse(url(name)), root)
                .tables("t", "shown")
                .queries(List.of(new ExportConfig.Query("q", "SELECT id, w AS x, c AS y FROM t")))
                .build());
        return root;
    }

    /// glibc's order is not known here; and the order of ICU's version that made the files need not be ours.
    @Test
    void anOrderThatIsNotPostgresqlsIsTold() throws Exception {
        try (Connection postgres = database("told", "LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C'")) {
            Path root = exported("told");
            assertThat(warnings(root, "SELECT id FROM t ORDER BY w"))
                    .containsExactly(
                            "collation \"default\" was made with version 153.80 of ICU's order, but Quarrel has"
                                    + " version " + version(root) + ", which may order rare characters otherwise");
            assertThat(warnings(root, "SELECT id FROM t WHERE w = 'a' ORDER BY id", "SELECT id FROM t ORDER BY c"))
                    .isEmpty();
            Path manifest = root.resolve(Manifest.FILE_NAME);
            Files.writeString(
                    manifest,
                    Files.readString(manifest)
                            .replaceAll("\"pg.collprovider\" : \"i\"", "\"pg.collprovider\" : \"c\"")
                            .replaceAll("\"pg.colllocale\" : \"de\"", "\"pg.colllocale\" : \"de_DE.UTF-8\""));
            assertThat(Manifest.read(root).collation().isOrderUnknown()).isTrue();
            assertThat(warnings(root, "SELECT max('a' || x) FROM (VALUES ('b')) v(x)", "SELECT 'a' < 'B'"))
                    .containsExactly("texts of collation \"default\" are ordered by their bytes, not as the operating"
                            + " system's locale \"de_DE.UTF-8\" orders them");
        }
    }

    private static String version(Path root) {
        try (DatasetCatalog catalog = DatasetCatalog.open(root);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            return SortKeys.version(snapshot.defaultCollation());
        }
    }

    private static List<String> warnings(Path root, String... queries) throws SQLException {
        List<String> messages = new ArrayList<>();
        try (QuarrelServer server = QuarrelServer.start(root, Configuration.ALL.getFirst());
                Connection quarrel = server.connect();
                Statement statement = quarrel.createStatement()) {
            for (String query : queries) {
                try (ResultSet rows = statement.executeQuery(query)) {
                    rows.next();
                }
                for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
                    messages.add(each.getMessage());
                }
                statement.clearWarnings();
            }
        }
        return messages;
    }

    /// Collations that a database's owner made: of other languages' rules, and one that takes texts for equal that are
    /// not the same.
    @Test
    void collationsOfADatabaseAreKnownByTheirNames() throws Exception {
        try (Connection postgres = database("own", "LOCALE_PROVIDER libc LOCALE 'C'");
                Statement statement = postgres.createStatement()) {
            statement.execute("""
                    CREATE COLLATION phonebook (provider = icu, locale = 'de-u-co-phonebk');
                    CREATE COLLATION numbers (provider = icu, locale = 'en-u-kn');
                    CREATE COLLATION reversed (provider = icu, locale = 'und', rules = '&z < a');
                    CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
                    DROP TABLE t CASCADE;
                    CREATE TABLE t (id int4, p text COLLATE phonebook, n varchar(9) COLLATE numbers,
                        r text COLLATE reversed, l text COLLATE loose);
                    INSERT INTO t SELECT row_number() OVER (), w, w, w, w
                    FROM unnest('{ad,af,ä,ae,A,a10,a9,z,b,B,Ä}'::text[]) w;
                    CREATE VIEW shown AS SELECT id FROM t""");
            Path root = Files.createTempDirectory("quarrel-collation");
            Exporter.run(ExportConfig.builder(PostgresSource.parse(url("own")), root)
                    .tables("t")
                    .build());
            try (QuarrelServer server = QuarrelServer.start(root, Configuration.ALL.getFirst());
                    Connection quarrel = server.connect()) {
                SoftAssertions problems = new SoftAssertions();
                for (String query : List.of(
                        "SELECT id FROM t ORDER BY p",
                        "SELECT id FROM t ORDER BY n",
                        "SELECT id FROM t ORDER BY r",
                        "SELECT id FROM t ORDER BY r COLLATE phonebook, id",
                        "SELECT id FROM t WHERE n > 'a9' ORDER BY id",
                        "SELECT 'a10' < 'a9' COLLATE numbers, max(n), max(p), min(r) FROM t",
                        "SELECT id, l, l IS NULL, coalesce(l, 'x') FROM t ORDER BY id",
                        "SELECT id FROM t WHERE l COLLATE \"C\" = 'a' OR p = 'b' ORDER BY id",
                        "SELECT p < n FROM t",
                        "SELECT 'a' COLLATE nothing")) {
                    problems.assertThat(SqlAnswer.of(quarrel, query))
                            .as(query)
                            .isEqualTo(SqlAnswer.of(postgres, query));
                }
                for (String query : List.of(
                        "SELECT id FROM t WHERE l = 'a'",
                        "SELECT id FROM t WHERE l IN ('a', 'b')",
                        "SELECT id FROM t WHERE l LIKE 'a%'",
                        "SELECT id FROM t WHERE l ~ 'a'",
                        "SELECT id FROM t ORDER BY l",
                        "SELECT DISTINCT l FROM t",
                        "SELECT l FROM t GROUP BY l",
                        "SELECT count(DISTINCT l) FROM t",
                        "SELECT max(l) FROM t",
                        "SELECT l FROM t UNION SELECT l FROM t",
                        "SELECT rank() OVER (PARTITION BY l) FROM t",
                        "SELECT count(*) FROM t a JOIN t b USING (l)",
                        "SELECT replace(l, 'a', 'b') FROM t",
                        "SELECT nullif(l, 'a') FROM t")) {
                    problems.assertThat(SqlAnswer.of(quarrel, query))
                            .as(query)
                            .extracting(answer -> ((SqlAnswer.Failure) answer).sqlState())
                            .isEqualTo("0A000");
                }
                problems.assertAll();
            }
        }
    }

    /// Calcite's own front end knows no collations.
    @Test
    void calcitesDriverRefusesWhatGoesByThem() throws Exception {
        try (Connection postgres = database("driver", "LOCALE_PROVIDER libc LOCALE 'C'")) {
            String model = "{\"version\": \"1.0\", \"defaultSchema\": \"data\", \"schemas\": [{\"name\": \"data\","
                    + " \"type\": \"custom\", \"factory\": \"dev.quarrel.calcite.jdbc.QuarrelSchemaFactory\","
                    + " \"operand\": {\"directory\": \"" + exported("driver") + "\"}}]}";
            String url = "jdbc:calcite:model=inline:" + model + ";lex=JAVA;unquotedCasing=TO_LOWER;quoting=DOUBLE_QUOTE"
                    + ";conformance=BABEL;typeSystem=dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE";
            try (Connection calcite = DriverManager.getConnection(url);
                    Statement statement = calcite.createStatement()) {
                for (String query : List.of(
                        "SELECT f FROM t ORDER BY f",
                        "SELECT max(f) FROM t",
                        "SELECT id FROM t WHERE f < 'b'",
                        "SELECT upper(f) FROM t")) {
                    assertThatThrownBy(() -> statement.executeQuery(query))
                            .as(query)
                            .hasStackTraceContaining("texts of collation \"fr-x-icu\"");
                }
                try (ResultSet rows =
                        statement.executeQuery("SELECT count(f), max(w) FROM t WHERE f = 'a' AND w < 'b'")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(1);
                }
            }
        }
    }

    /// The builtin provider's tables are of the same version of Unicode as Java's.
    @ParameterizedTest
    @CsvSource({"pg_c_utf8, b:C.UTF-8", "pg_unicode_fast, b:PG_UNICODE_FAST"})
    void everyCharacterHasPostgresqlsCaseAndClass(String collation, String spec) throws SQLException {
        CharacterKinds kinds = CharacterKinds.of(spec);
        LetterCase cases = LetterCase.of(spec);
        String classes = Arrays.stream(CharacterKinds.Kind.values())
                .map(kind -> "x ~ '[[:" + kind.name().toLowerCase(Locale.ROOT) + ":]]'")
                .collect(Collectors.joining(", "));
        String sql = "SELECT x, upper(x), lower(x), initcap(x), casefold(x), " + classes
                + " FROM (SELECT chr(i) COLLATE " + collation + " AS x FROM generate_series(1, 131071) i"
                + " WHERE i NOT BETWEEN 55296 AND 57343) q";
        List<String> wrong = new ArrayList<>();
        try (Connection postgres = PostgresOracle.shared().connect();
                Statement statement = postgres.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                String text = rows.getString(1);
                List<String> right = new ArrayList<>();
                List<String> ours = new ArrayList<>(
                        List.of(cases.upper(text), cases.lower(text), cases.title(text), cases.fold(text)));
                for (CharacterKinds.Kind kind : CharacterKinds.Kind.values()) {
                    ours.add(kinds.is(kind, text.codePointAt(0)) ? "t" : "f");
                }
                for (int column = 2; column < 2 + ours.size(); column++) {
                    right.add(rows.getString(column));
                }
                if (!right.equals(ours)) {
                    wrong.add(Integer.toHexString(text.codePointAt(0)) + ": " + ours + " instead of " + right);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /// Random texts of letters that were in Unicode when the oracle's ICU was made, in the orders of many languages.
    @ParameterizedTest
    @CsvSource({
        "de-x-icu",
        "sv-x-icu",
        "es-x-icu",
        "cs-x-icu",
        "da-x-icu",
        "tr-x-icu",
        "lt-x-icu",
        "fr-CA-x-icu",
        "und-x-icu",
        "ru-x-icu"
    })
    void randomTextsHavePostgresqlsOrder(String collation) throws SQLException {
        Random random = new Random(collation.hashCode());
        String alphabet =
                "aAbBcChHlLnNoOsSzZ chll'-_.,0129äÄåÅæÆøØöÖüÜßéÉèÈêÊñÑçÇčČřŘžŽıİğĞłŁœŒðÐþÞαΑσςΣωΩабвгАБВГёЁ\u0301\u0308";
        String rows = IntStream.range(0, 800)
                .mapToObj(_ -> random.ints(random.nextInt(6), 0, alphabet.length())
                        .mapToObj(at -> String.valueOf(alphabet.charAt(at)))
                        .collect(Collectors.joining()))
                .map(text -> "('" + text.replace("'", "''") + "')")
                .collect(Collectors.joining(", "));
        String query = "SELECT x FROM (VALUES " + rows + ") v(x) ORDER BY x COLLATE \"" + collation + '"';
        try (Connection postgres = PostgresOracle.shared().connect();
                Connection quarrel =
                        QuarrelServer.shared(Configuration.ALL.getFirst()).connect()) {
            SqlAnswer.Rows right = (SqlAnswer.Rows) SqlAnswer.of(postgres, query);
            assertThat(((SqlAnswer.Rows) SqlAnswer.of(quarrel, query)).rows()).isEqualTo(right.rows());
        }
    }
}
