package dev.quarrel.calcite.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.sql.convert.ObjectIds;
import dev.quarrel.calcite.sql.function.ArrayFunctions;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.AbstractTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Queries against columns, parameter types, errors and plans. `columns.txt` and `errors.txt` hold PostgreSQL's
/// answers.
final class SqlFrontendTest {
    private static final Map<String, String> TABLES = Map.of(
            "t",
            "i2 smallint, i4 integer not null, i8 bigint, f4 real, f8 double precision, n numeric, n2 numeric(15,2), "
                    + "n4 numeric(10,4), b boolean, s text, v character varying(10), c character(5), d date, "
                    + "ts timestamp without time zone, tz timestamp with time zone, o oid, nm name, year integer, "
                    + "value text",
            "u",
            "i4 integer, s text, d date, x bigint",
            "lineorder",
            "lo_orderkey integer, lo_orderdate integer, lo_discount integer, lo_quantity integer, "
                    + "lo_extendedprice integer, lo_revenue integer, lo_supplycost integer, lo_custkey integer, "
                    + "lo_suppkey integer, lo_partkey integer",
            "date",
            "d_datekey integer, d_date text, d_year integer, d_yearmonthnum integer, d_yearmonth text, "
                    + "d_weeknuminyear integer",
            "customer",
            "c_custkey integer, c_city text, c_nation text, c_region text",
            "supplier",
            "s_suppkey integer, s_city text, s_nation text, s_region text",
            "part",
            "p_partkey integer, p_mfgr text, p_category text, p_brand1 text");

    private static final List<ScalarFunction> FUNCTIONS = List.of(
            new ScalarFunction("format_type", List.of(PgType.OID, PgType.INT4), PgType.TEXT, false, (_, _) -> "x"),
            new ScalarFunction("regclassout", List.of(PgType.REGCLASS), PgType.TEXT, true, (_, _) -> "x"),
            new ScalarFunction("version", List.of(), PgType.TEXT, true, (_, _) -> "x"),
            new ScalarFunction("current_user", List.of(), PgType.NAME, true, (_, _) -> "x"));

    private static final SqlFrontend FRONTEND = new SqlFrontend(FUNCTIONS, List.of(), List.of());
    private static final CalciteSchema ROOT = schema();

    private static CalciteSchema schema() {
        CalciteSchema root = CalciteSchema.createRootSchema(false);
        CalciteSchema schema = root.add("public", new AbstractSchema());
        TABLES.forEach((name, columns) -> schema.add(name, new AbstractTable() {
            @Override
            public RelDataType getRowType(RelDataTypeFactory factory) {
                RelDataTypeFactory.Builder builder = factory.builder();
                for (String column : columns.split(", ")) {
                    Field field = field(column);
                    builder.add(field.name(), SqlTypes.relType(factory, field));
                }
                return builder.build();
            }
        }));
        schema("pg_catalog", root, "pg_thing", "oid oid not null, names text, keys text", 5);
        schema("pg_catalog", root, "pg_nothing", "oid oid not null, names text", 0);
        return root;
    }

    private static void schema(String schemaName, CalciteSchema root, String table, String columns, double rowCount) {
        CalciteSchema known = root.getSubSchema(schemaName, true);
        CalciteSchema schema = known == null ? root.add(schemaName, new AbstractSchema()) : known;
        schema.add(table, new AbstractTable() {
            @Override
            public RelDataType getRowType(RelDataTypeFactory factory) {
                RelDataTypeFactory.Builder builder = factory.builder();
                for (String column : columns.split(", ")) {
                    Field field = field(column);
                    builder.add(field.name(), SqlTypes.relType(factory, field));
                }
                return builder.build();
            }

            @Override
            public Statistic getStatistic() {
                return Statistics.of(rowCount, List.of());
            }
        });
    }

    private static Field field(String column) {
        boolean notNull = column.endsWith(" not null");
        String plain = notNull ? column.substring(0, column.length() - " not null".length()) : column;
        int blank = plain.indexOf(' ');
        String type = plain.substring(blank + 1);
        return new Field(plain.substring(0, blank), PgType.parse(type).dataType(), !notNull, type);
    }

    private static AnalyzedQuery analyze(String text, PgType... declared) {
        Statement.Query query = (Statement.Query) FRONTEND.parse(text).get(0);
        return FRONTEND.analyze(
                query,
                new QueryContext(
                        SqlFrontend.newCluster(
                                new HepPlanner(HepProgram.builder().build())),
                        ROOT,
                        List.of("public"),
                        "postgres",
                        Arrays.asList(declared),
                        ObjectIds.NONE,
                        PgParse.Moment.utc(),
                        Collation.DEFAULT,
                        TablePrivileges.EVERYTHING,
                        false));
    }

    private static String columns(AnalyzedQuery query) {
        return query.columns().stream()
                .map(column -> column.name() + ":" + column.type().typeName() + modifiers(column))
                .collect(Collectors.joining(" "));
    }

    private static String modifiers(AnalyzedQuery.OutputColumn column) {
        if (column.typmod() < 0) {
            return "";
        }
        int packed = column.typmod() - 4;
        return column.type() == PgType.NUMERIC
                ? "(" + (packed >> 16) + "," + (packed & 0xFFFF) + ")"
                : "(" + packed + ")";
    }

    static Stream<Arguments> columnCases() {
        return cases("columns.txt");
    }

    static Stream<Arguments> errorCases() {
        return cases("errors.txt");
    }

    private static Stream<Arguments> cases(String resource) {
        List<Arguments> cases = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(SqlFrontendTest.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
            List<String> lines =
                    reader.lines().filter(line -> !line.startsWith("--")).toList();
            for (int index = 0; index < lines.size(); index += 2) {
                cases.add(Arguments.of(
                        lines.get(index).replace("\\n", "\n"),
                        lines.get(index + 1).strip()));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("columnCases")
    void columnsAreThoseOfPostgres(String query, String expected) {
        assertThat(columns(analyze(query))).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("errorCases")
    void errorsAreThoseOfPostgres(String query, String expected) {
        QueryException error = catchThrowableOfType(QueryException.class, () -> analyze(query));
        assertThat(error).as(query).isNotNull();
        String text = error.state().code() + " " + error.getMessage() + " @"
                + error.position().orElse(0)
                + (error.detail() == null ? "" : " D:" + error.detail())
                + (error.hint() == null ? "" : " H:" + error.hint());
        assertThat(text).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    select i4 from t where s = $1 and i4 = $2           | [TEXT, INT4]
                    select i4 from t where v = $1 and c = $2            | [TEXT, BPCHAR]
                    select i4 from t where i8 between $2 and $1         | [INT8, INT8]
                    select i4 from t where d > $1 and n2 < $2           | [DATE, NUMERIC]
                    select $1                                           | [TEXT]
                    select concat($1, 'x'), $2::int4, $3 + 1            | [TEXT, INT4, INT4]
                    select coalesce($1, 5), i8 in ($2, $3) from t       | [INT4, INT8, INT8]
                    select case when $1 then $2 else 1.5 end            | [BOOL, NUMERIC]
                    select i4 from t where s like $1 limit $2 offset $3 | [TEXT, INT8, INT8]
                    select i4 from t where i4 = $1 or i4 = $1 + 1       | [INT4]
                    select i4 from t where i4 in (select i4 from u where x > $1) | [INT8]
                    select upper($1), sum(i4) from t group by b         | [TEXT]
                    select $1 union select 1                            | [INT4]
                    values ($1), (2.5)                                  | [NUMERIC]
                    """)
    void parameterTypesAreInferred(String query, String expected) {
        assertThat(analyze(query).parameterTypes()).hasToString(expected);
    }

    @Test
    void declaredParameterTypesWin() {
        AnalyzedQuery query = analyze("select $1 + 1, $2", PgType.INT8, null);
        assertThat(query.parameterTypes()).containsExactly(PgType.INT8, PgType.TEXT);
        assertThat(columns(query)).isEqualTo("?column?:int8 ?column?:text");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    select $2::int4                        | 42P18 | could not determine data type of parameter $1
                    select ($1, $1) = (1, s) from t        | 42P08 | inconsistent types deduced for parameter $1
                    select $1 is null                      | 42P18 | could not determine data type of parameter $1
                    select $1 + $1                         | 42725 | operator is not unique: unknown + unknown
                    """)
    void parametersWithoutOneTypeAreErrors(String query, String state, String message) {
        QueryException error = catchThrowableOfType(QueryException.class, () -> analyze(query));
        assertThat(error).hasMessage(message);
        assertThat(error.state().code()).isEqualTo(state);
    }

    @Test
    void addedFunctionsAreFoundBareAndInPgCatalog() {
        assertThat(columns(analyze("select pg_catalog.format_type(o, 5), version(), current_user from t")))
                .isEqualTo("format_type:text version:text current_user:name");
        assertThat(columns(analyze("select format_type('16', null)"))).isEqualTo("format_type:text");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    i4 + i8      | int64
                    i2 * i2      | int16
                    n2 * n4      | decimal(25,6)
                    n2 + 1       | decimal(16,2)
                    1 - n2       | decimal(16,2)
                    n2 / 2       | numeric
                    sum(n2)      | decimal(38,2)
                    avg(n2)      | numeric
                    sum(i8)      | numeric
                    sum(i4)      | int64
                    case when b then n2 else 0 end | numeric
                    case when b then n2 else 0.00 end | decimal(15,2)
                    d - d        | int32
                    extract(year from d) | decimal(10,0)
                    '1.50'::numeric | decimal(3,2)
                    """)
    void numbersAreHeldAsNarrowlyAsTheirScaleIsKnown(String expression, String held) {
        RelDataType type = analyze("select " + expression + " from t")
                .rel()
                .getRowType()
                .getFieldList()
                .get(0)
                .getType();
        assertThat(SqlTypes.dataType(type)).isEqualTo(DataType.parse(held));
    }

    @Test
    void aStarJoinIsFiltersOverJoinsOverScans() {
        assertThat(RelOptUtil.toString(analyze("select sum(lo_revenue), d_year from lineorder, date "
                                        + "where lo_orderdate = d_datekey and d_year >= 1993 group by d_year "
                                        + "order by d_year desc limit 3")
                                .rel())
                        .replace("\r", ""))
                .isEqualTo("""
                        LogicalSort(sort0=[$1], dir0=[DESC], fetch=[3:BIGINT])
                          LogicalProject(sum=[$1], d_year=[$0])
                            LogicalAggregate(group=[{0}], agg#0=[SUM($1)])
                              LogicalProject($f0=[$12], $f1=[$5])
                                LogicalFilter(condition=[AND(=($1, $10), >=($12, 1993))])
                                  LogicalJoin(condition=[true], joinType=[inner])
                                    LogicalTableScan(table=[[public, lineorder]])
                                    LogicalTableScan(table=[[public, date]])
                        """);
    }

    @Test
    void arraysOfTheCatalogAreText() {
        AnalyzedQuery query = analyze(
                "select 'a' = any (names), names[1], oid <> all (keys), keys[2] = oid " + "from pg_catalog.pg_thing");
        assertThat(columns(query)).isEqualTo("?column?:bool names:text ?column?:bool ?column?:bool");
        QueryException error = catchThrowableOfType(QueryException.class, () -> analyze("select 'a' = any (s) from t"));
        assertThat(error.state().code()).isEqualTo("42809");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}           | []
                    {a,B c}      | [a, B c]
                    {"a,\\"b",x} | [a,"b, x]
                    {NULL,"null"} | [null, null]
                    1 2 3        | [1, 2, 3]
                    ``           | []
                    """)
    void arrayTextIsReadAsPostgresWritesIt(String text, String expected) {
        assertThat(ArrayFunctions.elements(text)).hasToString(expected);
    }

    @Test
    void objectIdentifiersAreShownByName() {
        AnalyzedQuery query = analyze("select oid::regclass as c, oid from pg_thing order by oid");
        assertThat(columns(query)).isEqualTo("c:text oid:oid");
        assertThat(RelOptUtil.toString(query.rel())).contains("regclassout($0)");
    }

    @Test
    void anArrayLiteralHasTheTypeOfWhatItIsComparedWith() {
        assertThat(RelOptUtil.toString(
                        analyze("select i4 from t where i4 = any ('{1, 2}')").rel()))
                .contains("OR(=($1, 1), =($1, 2))");
    }

    @Test
    void aQueryOverAnEmptyTableIsEmptyWhateverItAsks() {
        String plan = RelOptUtil.toString(analyze("select n.oid::regoper::text, array(select oid from pg_thing) "
                        + "from pg_nothing n left join pg_thing t on t.oid = n.oid where 'd' = any (n.names)")
                .rel());
        assertThat(plan.strip()).isEqualTo("LogicalValues(tuples=[[]])");
        assertThat(RelOptUtil.toString(
                        analyze("select count(*) from pg_nothing").rel()))
                .contains("LogicalAggregate");
    }

    @Test
    void aSeriesOfConstantsIsItsRows() {
        AnalyzedQuery query = analyze("select n, g.n + 1 from generate_series(1, 5, 2) as g(n)");
        assertThat(columns(query)).isEqualTo("n:int4 ?column?:int4");
        assertThat(RelOptUtil.toString(query.rel())).contains("tuples=[[{ 1 }, { 3 }, { 5 }]]");
        assertThat(columns(analyze("select * from generate_series(1, 3)"))).isEqualTo("generate_series:int4");
    }

    @Test
    void nothingIsFolded() {
        String plan =
                RelOptUtil.toString(analyze("select 2147483647 + 1, 1 / 0, '5'::int4 + i4 from t where 1 = 2 or b")
                        .rel());
        assertThat(plan).contains("+(2147483647, 1)", "/(1, 0)", "+(5, $1)", "OR(=(1, 2), $8)");
    }
}
