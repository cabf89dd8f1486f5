package dev.quarrel.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The files behind `pg_catalog` and `information_schema` beside PostgreSQL's own catalogs: relations, their columns,
/// and the rows that every database has. With `-Dupdate=true` the files are written anew.
///
/// Which relations and rows are here is decided in the files: a line of a relation's name, or of a row's oid, is enough
/// for an update to fill in the rest.
class SystemCatalogFilesTest {
    private static final Path FILES =
            FunctionCatalogTest.ROOT.resolve("server/src/main/resources/dev/quarrel/server/catalog");

    /// Columns that PostgreSQL 17 renamed. psql 15 and 16 ask for them at any newer server, and fail at PostgreSQL's
    /// own; here they are NULL.
    private static final String FORMER_COLUMNS = """
            ('pg_catalog'::name, 'pg_database'::name, 1000::int2, '  daticulocale text'),
            ('pg_catalog', 'pg_collation', 1000, '  colliculocale text')""";

    @Test
    void relationsAreThoseOfPostgresql() throws IOException {
        Path file = FILES.resolve("relations.txt");
        List<String> names = Files.readAllLines(file).stream()
                .filter(line -> !line.startsWith("#") && !line.startsWith(" "))
                .map(line -> line.split(" ", -1)[0])
                .toList();
        String wanted = names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>();
        lines.add("# The system relations that exist here, as PostgreSQL 18 declares them: schema.name oid kind, then a"
                + " line a column.");
        lines.add("# Domains are written as their base types. Made from pg_class and pg_attribute by"
                + " SystemCatalogFilesTest.");
        lines.addAll(FunctionCatalogTest.query("""
                SELECT line FROM (
                    SELECT nspname AS desc_schema, relname, 0 AS attnum, nspname || '.' || relname || ' ' || c.oid || ' '
                        || relkind::text AS line
                    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
                    WHERE nspname || '.' || relname IN (%1$s)
                    UNION ALL
                    SELECT nspname, relname, attnum, '  ' || attname || ' '
                        || format_type(CASE WHEN typtype = 'd' THEN typbasetype ELSE t.oid END,
                                       CASE WHEN typtype = 'd' THEN typtypmod ELSE atttypmod END)
                        || CASE WHEN attnotnull THEN ' not null' ELSE '' END
                    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
                        JOIN pg_type t ON t.oid = atttypid
                    WHERE attnum > 0 AND NOT attisdropped AND nspname || '.' || relname IN (%1$s)
                    UNION ALL
                    VALUES %2$s) AS made
                ORDER BY desc_schema DESC, relname, attnum
                """.formatted(wanted, FORMER_COLUMNS)));
        FunctionCatalogTest.require(file, lines);
    }

    @ParameterizedTest
    @CsvSource({"pg_am", "pg_cast", "pg_collation", "pg_language", "pg_operator", "pg_tablespace", "pg_type"})
    void rowsAreThoseOfPostgresql(String relation) throws IOException {
        requireRows(relation, "oid", oids(relation));
    }

    @Test
    void rangesAreThoseOfPostgresql() throws IOException {
        requireRows("pg_range", "rngtypid", oids("pg_type"));
    }

    /// The aggregates that `pg_proc` has.
    @Test
    void aggregatesAreThoseOfPostgresql() throws IOException {
        requireRows("pg_aggregate", "aggfnoid::oid", oids("pg_proc"));
    }

    /// How the functions that `pg_proc` has are declared.
    @Test
    void signaturesAreThoseOfPostgresql() throws IOException {
        List<String> lines = new ArrayList<>(List.of("oid\targuments\tidentity\tresult"));
        lines.addAll(FunctionCatalogTest.query("SELECT oid, pg_get_function_arguments(oid),"
                + " pg_get_function_identity_arguments(oid), pg_get_function_result(oid) FROM pg_proc WHERE oid IN ("
                + oids("pg_proc") + ") ORDER BY oid"));
        FunctionCatalogTest.require(FILES.resolve("function-signatures.tsv"), lines);
    }

    @Test
    void keywordsAreThoseOfPostgresql() throws IOException {
        List<String> lines = new ArrayList<>(List.of("word\tcatcode\tbarelabel\tcatdesc\tbaredesc"));
        lines.addAll(FunctionCatalogTest.query("SELECT * FROM pg_get_keywords() ORDER BY word COLLATE \"C\""));
        FunctionCatalogTest.require(FILES.resolve("pg_get_keywords.tsv"), lines);
    }

    /// The comments on what the other files have.
    @Test
    void descriptionsAreThoseOfPostgresql() throws IOException {
        List<String> known = new ArrayList<>();
        for (String relation : List.of("pg_am", "pg_collation", "pg_language", "pg_operator", "pg_proc", "pg_type")) {
            known.add("classoid = '" + relation + "'::regclass AND objoid IN (" + oids(relation) + ")");
        }
        known.add("classoid = 'pg_namespace'::regclass AND objoid < 16384");
        List<String> lines = new ArrayList<>(List.of("objoid\tclassoid\tobjsubid\tdescription"));
        lines.addAll(
                FunctionCatalogTest.query("SELECT objoid, classoid, objsubid, description FROM pg_description WHERE "
                        + String.join(" OR ", known) + " ORDER BY 2, 1, 3"));
        FunctionCatalogTest.require(FILES.resolve("pg_description.tsv"), lines);
    }

    private static String oids(String relation) throws IOException {
        return Files.readAllLines(FILES.resolve(relation + ".tsv")).stream()
                .skip(1)
                .map(line -> line.split("\t", -1)[0])
                .collect(Collectors.joining(", "));
    }

    private static void requireRows(String relation, String key, String wanted) throws IOException {
        String columns = """
                SELECT string_agg(%s, '%s' ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped
                """;
        List<String> lines =
                new ArrayList<>(FunctionCatalogTest.query(columns.formatted("attname::text", "\t", relation)));
        String values = FunctionCatalogTest.query(columns.formatted(
                        "attname || CASE atttypid WHEN 'regproc'::regtype THEN '::oid' ELSE '' END", ", ", relation))
                .getFirst();
        lines.addAll(FunctionCatalogTest.query(
                "SELECT " + values + " FROM " + relation + " WHERE " + key + " IN (" + wanted + ") ORDER BY 1"));
        FunctionCatalogTest.require(FILES.resolve(relation + ".tsv"), lines);
    }
}
