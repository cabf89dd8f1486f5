package dev.quarrel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SessionTable;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.server.ScriptedEngine;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SystemCatalogTest {
    private static Table table(String schemaName, String name, Field... fields) {
        return new MemoryTable(schemaName, name, Schema.of(fields), List.of());
    }

    private static CatalogSnapshot snapshot(Table... tables) {
        return new FixedSnapshot(List.of(tables));
    }

    private static final Table LINEORDER = table(
            "public",
            "lineorder",
            new Field("lo_orderkey", DataType.INT64, false),
            new Field("lo_price", new DataType.Decimal(12, 2), true, "numeric(12,2)"),
            new Field("lo_mode", DataType.UTF8, true, "character(10)"),
            new Field("lo_odd", DataType.INT32, true, "text"));

    private final EngineConfig config = SystemCatalog.install(EngineConfig.defaults(), List.of("ann"));
    private final SqlSession session = new ScriptedEngine().openSession("ann");

    private List<Map<String, String>> rows(String name) {
        Table found = config.systemTables().apply(snapshot(LINEORDER), TablePrivileges.EVERYTHING).stream()
                .filter(each -> (each.schemaName() + "." + each.name()).equals(name))
                .findFirst()
                .orElseThrow();
        Table table = found instanceof SessionTable live ? live.rows(session) : found;
        List<Map<String, String>> rows = new ArrayList<>();
        int[] columns = new int[table.schema().size()];
        for (int index = 0; index < columns.length; index++) {
            columns[index] = index;
        }
        for (int batchIndex = 0; batchIndex < table.batchCount(); batchIndex++) {
            try (Batch batch = table.read(batchIndex, columns)) {
                for (int row = 0; row < batch.rowCount(); row++) {
                    Map<String, String> values = new TreeMap<>();
                    for (int column : columns) {
                        TextBuffer text = new TextBuffer();
                        if (batch.column(column).validity().isPresent(row)) {
                            PgText.append(batch.column(column), row, text);
                            values.put(table.schema().field(column).name(), text.toString());
                        }
                    }
                    rows.add(values);
                }
            }
        }
        return rows;
    }

    private Map<String, String> row(String relation, String column, String value) {
        return rows(relation).stream()
                .filter(row -> value.equals(row.get(column)))
                .findFirst()
                .orElseThrow();
    }

    private Object call(String name, Object... arguments) {
        assertThat(config.systemTables().apply(snapshot(LINEORDER), TablePrivileges.EVERYTHING))
                .isNotEmpty();
        ScalarFunction function = config.systemFunctions().stream()
                .filter(each -> each.name().equals(name)
                        && each.arguments().size() == arguments.length
                        && fits(each, arguments))
                .findFirst()
                .orElseThrow();
        return function.body().call(session, arguments);
    }

    private static boolean fits(ScalarFunction function, Object[] arguments) {
        for (int index = 0; index < arguments.length; index++) {
            boolean text = function.arguments().get(index).dataType() instanceof DataType.Utf8;
            if (arguments[index] != null && text != arguments[index] instanceof String) {
                return false;
            }
        }
        return true;
    }

    @Test
    void tablesAndTheirColumnsAreListed() {
        Map<String, String> table = row("pg_catalog.pg_class", "relname", "lineorder");
        assertThat(table).containsEntry("relkind", "r").containsEntry("relnamespace", "2200");
        List<Map<String, String>> columns = rows("pg_catalog.pg_attribute").stream()
                .filter(row -> row.get("attrelid").equals(table.get("oid")))
                .toList();
        assertThat(columns)
                .extracting(row -> row.get("attname"))
                .containsExactly("lo_orderkey", "lo_price", "lo_mode", "lo_odd");
        assertThat(columns).extracting(row -> row.get("atttypid")).containsExactly("20", "1700", "1042", "23");
        assertThat(columns).extracting(row -> row.get("atttypmod")).containsExactly("-1", "786438", "14", "-1");
        assertThat(columns).extracting(row -> row.get("attnotnull")).containsExactly("t", "f", "f", "f");
        assertThat(row("information_schema.columns", "column_name", "lo_price"))
                .containsEntry("data_type", "numeric")
                .containsEntry("numeric_precision", "12")
                .containsEntry("numeric_scale", "2");
        assertThat(row("pg_catalog.pg_roles", "rolname", "ann")).containsEntry("rolcanlogin", "t");
        assertThat(row("pg_catalog.pg_type", "typname", "numeric")).containsEntry("oid", "1700");
    }

    /// A change of these numbers would change every client's cached identifiers.
    @Test
    void identifiersNeverChange() {
        ObjectNames names =
                new ObjectNames(snapshot(LINEORDER, table("mart", "t", new Field("a", DataType.INT32, true))));
        assertThat(names.relation("public", "lineorder").oid()).isEqualTo(OID_OF_LINEORDER);
        assertThat(names.schemaOid("mart")).isGreaterThan(16_383);
        assertThat(names.relation("pg_catalog", "pg_class").oid()).isEqualTo(1259);
        Set<Long> oids = new HashSet<>();
        Table[] many = new Table[20_000];
        for (int index = 0; index < many.length; index++) {
            many[index] = table("public", "t" + index, new Field("a", DataType.INT32, true));
        }
        ObjectNames crowded = new ObjectNames(snapshot(many));
        for (Table each : many) {
            oids.add(crowded.relation("public", each.name()).oid());
        }
        assertThat(oids).hasSize(many.length).allMatch(oid -> oid > 16_383 && oid <= Integer.MAX_VALUE);
    }

    private static final long OID_OF_LINEORDER = 175_993_041;

    @Test
    void everySystemRelationIsDescribedByItself() {
        List<Table> tables = config.systemTables().apply(snapshot(), TablePrivileges.EVERYTHING);
        assertThat(tables).hasSize(CatalogRelation.ALL.size() + CatalogRelation.FUNCTIONS.size());
        assertThat(rows("pg_catalog.pg_class")).hasSize(CatalogRelation.ALL.size() + 1);
    }

    @Test
    void functionsNameThings() {
        assertThat(call("format_type", 1700L, 786438L)).isEqualTo("numeric(12,2)");
        assertThat(call("format_type", 25L, null)).isEqualTo("text");
        assertThat(call("format_type", 1009L, -1L)).isEqualTo("text[]");
        assertThat(call("format_type", 0L, null)).isEqualTo("-");
        assertThat(call("format_type", 99999L, null)).isEqualTo("???");
        assertThat(call("pg_get_userbyid", 10L)).isEqualTo("quarrel");
        assertThat(call("to_regclass", "lineorder")).isEqualTo(OID_OF_LINEORDER);
        assertThat(call("to_regclass", "public.LINEORDER")).isEqualTo(OID_OF_LINEORDER);
        assertThat(call("to_regclass", "\"LINEORDER\"")).isNull();
        assertThat(call("to_regclass", "pg_class")).isEqualTo(1259L);
        assertThat(call("regclassout", OID_OF_LINEORDER)).isEqualTo("lineorder");
        assertThat(call("to_regtype", "int[]")).isNull();
        assertThat(call("to_regtype", "integer[]")).isEqualTo(1007L);
        assertThat(call("to_regproc", "pg_catalog.array_in")).isEqualTo(750L);
        assertThat(call("pg_table_is_visible", OID_OF_LINEORDER)).isEqualTo(true);
        assertThat(call("pg_table_is_visible", 1L)).isNull();
        assertThat(call("current_schemas", true)).isEqualTo("{pg_catalog,public}");
        assertThat(call("quote_ident", "select")).isEqualTo("\"select\"");
        assertThat(call("quote_ident", "a_1")).isEqualTo("a_1");
        assertThat(call("has_table_privilege", "lineorder", "select")).isEqualTo(true);
        assertThat(call("has_table_privilege", "lineorder", "INSERT")).isEqualTo(false);
        assertThatThrownBy(() -> call("has_table_privilege", "lineorder", "FLY"))
                .isInstanceOf(QueryException.class);
        assertThatThrownBy(() -> call("current_setting", "nosuch")).isInstanceOf(QueryException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 bytes",
        "10239, 10239 bytes",
        "10240, 10 kB",
        "10751, 10 kB",
        "10752, 11 kB",
        "10485759, 10 MB",
        "1048576, 1024 kB",
        "-10485760, -10 MB",
        "9223372036854775807, 8192 PB"
    })
    void sizesAreWrittenAsPostgresWritesThem(long bytes, String text) {
        assertThat(CatalogFunctions.sizePretty(bytes)).isEqualTo(text);
    }

    @Test
    void arraysAreReadAndWritten() {
        assertThat(ArrayText.parse("{}")).isEmpty();
        assertThat(ArrayText.parse("{a, \"b \\\" c\" ,NULL,\"null\"}")).containsExactly("a", "b \" c", null, "null");
        assertThat(ArrayText.format(java.util.Arrays.asList("a", "b c", null, "NULL", "")))
                .isEqualTo("{a,\"b c\",NULL,\"NULL\",\"\"}");
        assertThatThrownBy(() -> ArrayText.parse("a,b")).isInstanceOf(QueryException.class);
        assertThat(PgType.ofOid(25)).contains(PgType.TEXT);
    }
}
