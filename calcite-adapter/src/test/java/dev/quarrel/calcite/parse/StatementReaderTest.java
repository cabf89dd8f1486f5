package dev.quarrel.calcite.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarrel.calcite.explain.PlanFormat;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class StatementReaderTest {
    /// A text, and how the syntax tree prints: Calcite's SQL in one line, with `?` for parameters.
    static Stream<List<String>> queries() {
        return Stream.of(
                List.of(
                        "select year, month, value, day from date",
                        "SELECT `year`, `month`, `value`, `day` FROM `date`"),
                List.of(
                        "select d.d_year from lineorder, date d;",
                        "SELECT `d`.`d_year` FROM `lineorder`, `date` AS `d`"),
                List.of("select 1 value, 2 as select", "SELECT 1 AS `value`, 2 AS `select`"),
                List.of("SELECT Foo, \"Foo\" FROM T", "SELECT `foo`, `Foo` FROM `t`"),
                List.of("select -1::text", "SELECT - (1 :: text)"),
                List.of("select $2::int8, x::numeric(12,4)", "SELECT (? :: int8), (`x` :: numeric(12,4))"),
                List.of("select x::timestamp with time zone", "SELECT (`x` :: timestamp with time zone)"),
                List.of("select x::double precision[]", "SELECT (`x` :: double precision[])"),
                List.of("select E'a\\nb\\x41', $$it's$$, $t$ $$ $t$", "SELECT 'a\nbA', 'it''s', ' $$ '"),
                List.of("select 'a'\n 'b', U&'\\0041'", "SELECT 'ab', 'A'"),
                List.of("select a || b + c", "SELECT `a` || `b` + `c`"),
                List.of("select a != b, a <> -1", "SELECT `a` <> `b`, `a` <> -1"),
                List.of("select a !~* 'x', a ilike 'y'", "SELECT `a` !~* 'x', `a` ILIKE 'y'"),
                List.of(
                        "select a operator(pg_catalog.~) 'x' collate pg_catalog.default",
                        "SELECT `a` ~ 'x' COLLATE `pg_catalog`.`default`"),
                List.of("select 1 where a isnull", "SELECT 1 WHERE `a` IS NULL"),
                List.of("select a from t limit all offset 2", "SELECT `a` FROM `t` OFFSET 2 ROWS"),
                List.of(
                        "select a from t offset 1 limit $1",
                        "SELECT `a` FROM `t` OFFSET 1 ROWS FETCH NEXT ? ROWS ONLY"),
                List.of("select a from t fetch first row only", "SELECT `a` FROM `t` FETCH NEXT 1 ROWS ONLY"),
                List.of("with x as not materialized (select 1) table x", "WITH `x` AS (SELECT 1) (TABLE `x`)"),
                List.of("values (1, 'a'), (2, null)", "VALUES ROW(1, 'a'), ROW(2, NULL)"),
                List.of(
                        "select left(a, 1) from t left join u using (b)",
                        "SELECT `left`(`a`, 1) FROM `t` LEFT JOIN `u` USING (`b`)"),
                List.of(
                        "select count(*) filter (where a) over w from t window w as (partition by b)",
                        "SELECT COUNT(*) FILTER (WHERE `a`) OVER `w` FROM `t` WINDOW `w` AS (PARTITION BY `b`)"),
                List.of("select 1 /* a /* b */ c */ + -- d\n 2", "SELECT 1 + 2"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void parsesQueries(List<String> textAndTree) {
        Statement.Query query =
                (Statement.Query) StatementReader.read(textAndTree.get(0)).get(0);
        String tree = query.node().toString().replace("\r", "");
        String oneLine = tree.lines().reduce((a, b) -> a + " " + b.strip()).orElse("");
        assertThat(oneLine.replaceAll(" +", " "))
                .isEqualTo(textAndTree.get(1).replace("\n", " ").replaceAll(" +", " "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    set search_path to a, "B"                        | Set[name=search_path, values=[a, B], local=false]
                    set local quarrel.require_gpu = on               | Set[name=quarrel.require_gpu, values=[on], local=true]
                    set session x to default                         | Set[name=x, values=[], local=false]
                    set extra_float_digits = -3                      | Set[name=extra_float_digits, values=[-3], local=false]
                    set time zone 'Europe/Rome'                      | Set[name=timezone, values=[Europe/Rome], local=false]
                    set names utf8                                   | Set[name=client_encoding, values=[utf8], local=false]
                    show all                                         | Show[name=all]
                    show transaction isolation level                 | Show[name=transaction_isolation]
                    reset TimeZone                                   | Reset[name=timezone]
                    discard all                                      | Discard[what=ALL]
                    deallocate all                                   | Deallocate[name=null]
                    deallocate prepare p                             | Deallocate[name=p]
                    commit and chain                                 | Commit[chain=true]
                    end                                              | Commit[chain=false]
                    abort                                            | Rollback[chain=false]
                    rollback to savepoint s                          | Savepoint[action=ROLLBACK_TO, name=s]
                    delete from only s.t                             | Delete[name=[s, t], found=null, returned=null]
                    create temp table x (a int)                      | CreateTable[name=[pg_temp, x], ifNotExists=false, elements=[ColumnDefinition[name=a, type=int, isNotNull=false, byDefault=null, counted=null, keys=[]]], dropsAtCommit=false]
                    create table if not exists s.x (a int not null, b numeric(3, 1)[]) | CreateTable[name=[s, x], ifNotExists=true, elements=[ColumnDefinition[name=a, type=int, isNotNull=true, byDefault=null, counted=null, keys=[]], ColumnDefinition[name=b, type=numeric(3, 1)[], isNotNull=false, byDefault=null, counted=null, keys=[]]], dropsAtCommit=false]
                    drop table if exists a.b, c cascade              | DropRelations[isView=false, names=[[a, b], [c]], ifExists=true, cascade=true]
                    comment on column a.b.c is 'x'                   | Comment[kind=column, name=[a, b], column=c, comment=x]
                    drop materialized view v                         | ReadOnlyRejected[commandTag=DROP MATERIALIZED VIEW]
                    create index concurrently i on s.t ((a + 1), b desc) | Upkeep[commandTag=CREATE INDEX, index=i, tables=[Kept[name=[s, t], columns=[b]]]]
                    create unique index on t (a)                     | CreateUniqueIndex[index=null, ifNotExists=false, table=[t], columns=[a]]
                    vacuum (full) t (a, b), u                        | Upkeep[commandTag=VACUUM, index=null, tables=[Kept[name=[t], columns=[a, b]], Kept[name=[u], columns=[]]]]
                    analyse                                          | Upkeep[commandTag=ANALYZE, index=null, tables=[]]
                    drop index if exists s.i, j                      | DropIndexes[names=[[s, i], [j]], ifExists=true]
                    create foreign table t (a int, b numeric(3, 1) options (virtual 'k') not null) server s | CreateForeignTable[name=[t], ifNotExists=false, columns=[ForeignColumn[name=a, type=int, isNotNull=false, options={}], ForeignColumn[name=b, type=numeric(3, 1), isNotNull=true, options={virtual=k}]], server=s, options={}]
                    drop foreign table if exists a.b, c restrict     | DropForeignTable[names=[[a, b], [c]], ifExists=true]
                    import foreign schema x from server s into p options (dir 'd') | ImportForeignSchema[remote=x, limit=false, names=[], server=s, local=p, options={dir=d}]
                    fetch all from c                                 | Fetch[command=Fetch[cursor=c, direction=FORWARD, count=9223372036854775807, isMove=false]]
                    fetch backward 3 c                               | Fetch[command=Fetch[cursor=c, direction=BACKWARD, count=3, isMove=false]]
                    move last in "C"                                 | Fetch[command=Fetch[cursor=C, direction=ABSOLUTE, count=-1, isMove=true]]
                    close all                                        | Close[name=null]
                    execute p (1, f(2, 3))                           | Execute[name=p, arguments=[Written[text=1, startOffset=11], Written[text=f(2, 3), startOffset=14]]]
                    copy t from stdin where a > 1                    | Refused[commandTag=COPY, error=dev.quarrel.core.type.QueryException: COPY FROM … WHERE is not supported]
                    copy (delete from t returning a) to stdout       | ReadOnlyRejected[commandTag=DELETE]
                    lock table t in exclusive mode                   | ReadOnlyRejected[commandTag=LOCK TABLE]
                    unlisten *                                       | Nothing[commandTag=UNLISTEN]
                    listen c                                         | Unsupported[commandTag=LISTEN]
                    """)
    void readsSessionStatements(String text, String expected) {
        Statement statement = StatementReader.read(text).get(0);
        assertThat(statement.toString().replaceAll("text=.*, start=\\d+, end=\\d+, ", ""))
                .isEqualTo(expected);
    }

    /// WHEN, ON and commas within CASE, joins and calls are none of the statement's own.
    @Test
    void readsTheClausesOfMerge() {
        Statement.Merge merge = (Statement.Merge) StatementReader.read("""
                        merge into only s.t as x using u join v on u.a = v.a on x.a = case when u.b then 1 else 2 end
                        when matched and case when x.c then true end then update set (b, c) = (f(1, 2), default),
                            d = case when x.d = 1 then 2 end
                        when matched then do nothing
                        when not matched by target then insert (a, "end") values (u.a, case when u.b then 1 end)
                        when not matched by source and x.a > 1 then delete""").get(0);
        assertThat(merge.name()).containsExactly("s", "t");
        assertThat(merge.clauses())
                .hasExactlyElementsOfTypes(
                        Statement.MergeUpdate.class,
                        Statement.MergeNothing.class,
                        Statement.MergeInsert.class,
                        Statement.MergeDelete.class);
        assertThat(((Statement.MergeUpdate) merge.clauses().getFirst()).targets())
                .containsExactly("b", "c", "d");
        Statement.MergeInsert insert = (Statement.MergeInsert) merge.clauses().get(2);
        assertThat(insert.columns()).containsExactly("a", "end");
        assertThat(insert.valueCount()).isEqualTo(2);
    }

    @Test
    void readsTransactionModes() {
        Statement.Begin begin = (Statement.Begin)
                StatementReader.read("start transaction isolation level repeatable read, read only not deferrable")
                        .get(0);
        assertThat(begin.modes()).isEqualTo(new Statement.TransactionModes("repeatable read", true, false));
        assertThat(begin.commandTag()).isEqualTo("START TRANSACTION");
    }

    @Test
    void explainTakesBothForms() {
        Statement.Explain old = (Statement.Explain)
                StatementReader.read("explain analyze verbose select 1").get(0);
        assertThat(old.options().analyze()
                        && old.options().verbose()
                        && old.options().costs())
                .isTrue();
        Statement.Explain options =
                (Statement.Explain) StatementReader.read("explain (analyze off, costs false, format json) (select 1)")
                        .get(0);
        ExplainOptions read = options.options();
        assertThat(read.analyze() || read.verbose() || read.costs()).isFalse();
        assertThat(read.format()).isEqualTo(PlanFormat.JSON);
        assertThat(read.plans()).isFalse();
        assertThat(options.query().sql()).isEqualTo("(select 1)");
    }

    @Test
    void splitsAtSemicolonsAndKeepsPlaces() {
        String text = "select 1;; -- nothing;\n select ';' ; show all ";
        List<Statement> statements = StatementReader.read(text);
        assertThat(statements.stream().map(Statement::sql)).containsExactly("select 1", "select ';'", "show all");
        assertThat(statements.stream().map(Statement::start)).containsExactly(0, 24, 37);
        assertThat(StatementReader.read(" ; /* */ ")).singleElement().isInstanceOf(Statement.Empty.class);
    }

    @Test
    void namesAreCutTo63Bytes() {
        String name = "é".repeat(40);
        Statement.Query query =
                (Statement.Query) StatementReader.read("select " + name).get(0);
        assertThat(query.node().toString()).contains("`" + "é".repeat(31) + "`");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    select * form t              | syntax error at or near "t"                                    | 15
                    selec 1                      | syntax error at or near "selec"                                | 1
                    select (1                    | syntax error at end of input                                   | 10
                    select 1; select (2; select 3 | syntax error at or near ";"                                   | 20
                    select 'é', a = = 3          | syntax error at or near "="                                    | 17
                    select 'abc                  | unterminated quoted string at or near "'abc"                   | 8
                    select "abc                  | unterminated quoted identifier at or near ""abc"               | 8
                    select 1 /* x                | unterminated /* comment at or near "/* x"                      | 10
                    select $$x                   | unterminated dollar-quoted string at or near "$$x"             | 8
                    select 123abc                | trailing junk after numeric literal at or near "123abc"        | 8
                    select $1a                   | trailing junk after parameter at or near "$1a"                 | 8
                    select a b c from t          | syntax error at or near "c"                                    | 12
                    set x                        | syntax error at end of input                                   | 6
                    explain (foo) select (1      | syntax error at end of input                                   | 24
                    """)
    void syntaxErrorsAreThoseOfPostgres(String text, String message, int position) {
        QueryException error = catchThrowableOfType(QueryException.class, () -> StatementReader.read(text));
        assertThat(error.state().code()).isEqualTo("42601");
        assertThat(error.getMessage()).isEqualTo(message);
        assertThat(error.position()).hasValue(position);
    }

    /// PostgreSQL looks at options when it runs the statement.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    (foo)                      | 42601 | unrecognized EXPLAIN option "foo"                                | 10
                    (costs, "Verbose")         | 42601 | unrecognized EXPLAIN option "Verbose"                            | 17
                    (format foo)               | 22023 | unrecognized value for EXPLAIN option "format": "foo"            | 10
                    (format)                   | 42601 | format requires a parameter                                      |
                    (analyze 2)                | 42601 | analyze requires a Boolean value                                 |
                    (analyze -1)               | 42601 | analyze requires a Boolean value                                 |
                    (verbose maybe)            | 42601 | verbose requires a Boolean value                                 |
                    (wal)                      | 22023 | EXPLAIN option WAL requires ANALYZE                              |
                    (timing on)                | 22023 | EXPLAIN option TIMING requires ANALYZE                           |
                    (serialize)                | 22023 | EXPLAIN option SERIALIZE requires ANALYZE                        |
                    (analyze, serialize)       | 0A000 | EXPLAIN option SERIALIZE is not supported                        |
                    (analyze on, generic_plan) | 22023 | EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together |
                    """)
    void wrongOptionsOfExplainAreThoseOfPostgres(String options, String state, String message, Integer position) {
        Statement.Refused refused = (Statement.Refused)
                StatementReader.read("explain " + options + " select 1").getFirst();
        assertThat(refused.error()).hasMessage(message);
        assertThat(refused.error().state().code()).isEqualTo(state);
        assertThat(refused.error().position().isPresent()).isEqualTo(position != null);
        assertThat(refused.error().position().orElse(0)).isEqualTo(position == null ? 0 : position);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(analyze, buffers, wal 1, timing off, memory, summary 0)",
                "(serialize none, settings TRUE, analyze 'on', format Json)",
                "(costs 0, costs, verbose off, generic_plan false, format text, format yaml)"
            })
    void readsTheOptionsThatClientsSend(String options) {
        assertThat(StatementReader.read("explain " + options + " execute s(1)").getFirst())
                .isInstanceOf(Statement.ExplainExecute.class);
    }

    @Test
    void anIdentifierIsNotEmpty() {
        QueryException error = catchThrowableOfType(QueryException.class, () -> StatementReader.read("select \"\""));
        assertThat(error).hasMessage("zero-length delimited identifier at or near \"\"\"\"");
    }

    @Test
    void aDeepStatementIsAnErrorAndNoStackOverflow() {
        String text = "select " + "(".repeat(50_000) + "1" + ")".repeat(50_000);
        QueryException error = catchThrowableOfType(QueryException.class, () -> StatementReader.read(text));
        assertThat(error.state().code()).isEqualTo("54001");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 + ", "true or ", "1 = 1 and "})
    void aLongChainIsRefusedAtOnce(String link) {
        String text = "select " + link.repeat(100_000) + "1";
        QueryException error = catchThrowableOfType(QueryException.class, () -> StatementReader.read(text));
        assertThat(error.state().code()).isEqualTo("54001");
        assertThat(error.hint()).isNotNull();
    }

    @Test
    void longListsAreNoChains() {
        String text =
                "select 1 in (" + "-1, ".repeat(20_000) + "1), 1 + 1" + " union all select 1 = 1, 2".repeat(2_000);
        assertThat(StatementReader.read(text)).hasSize(1);
    }

    @Test
    void parsingIsCancelled() {
        Cancellation cancellation = new Cancellation();
        // Each parenthesis is looked through before it is read: that takes long.
        String text = "select " + ("1 + (".repeat(200) + "1" + ")".repeat(200) + ", ").repeat(100) + "1";
        Thread.ofPlatform().start(() -> {
            LockSupport.parkNanos(200_000_000);
            cancellation.cancel();
        });
        QueryException error = catchThrowableOfType(
                QueryException.class, () -> PlanningLimits.within(cancellation, () -> StatementReader.read(text)));
        assertThat(error.state().code()).isEqualTo("57014");
    }
}
