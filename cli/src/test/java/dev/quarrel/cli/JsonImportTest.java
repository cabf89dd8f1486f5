package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class JsonImportTest extends ImportFixture {
    private String types(String table) {
        return sql("select string_agg(column_name || ' ' || data_type, ', ' order by ordinal_position)"
                        + " from information_schema.columns where table_name = '" + table + "'")
                .lines()
                .toList()
                .getLast()
                .replace("\"", "");
    }

    @Test
    void valuesHaveTheTypesThatTheyAreWrittenAs() throws IOException {
        CommandRun outcome = run(file("t.json", """
                [{"i": 1, "f": 1, "b": true, "t": "x", "d": "2024-02-29", "ts": "2024-01-01T10:00:00.5Z",
                  "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "zip": "01234", "mixed": 1, "any": [1, {"k": "v"}], "n": null},
                 {"i": -9007199254740993, "f": 2.5e-3, "b": null, "t": "y\\u0041\\n", "d": null, "ts": "2024-01-01 10:00:00+02",
                  "u": null, "zip": "1", "mixed": "z", "any": "s", "late": NaN}]
                """));
        assertThat(outcome.err()).contains("2 rows of 1 file written to public.t");
        assertThat(types("t"))
                .isEqualTo("i bigint, f double precision, b boolean, t text, d date, ts timestamp with time zone,"
                        + " u uuid, zip text, mixed text, any json, n text, late double precision");
        assertThat(sql("select i, f, b, t, d, ts, zip, mixed, \"any\", n, late from t order by i desc"))
                .isEqualTo("""
                        i,f,b,t,d,ts,zip,mixed,any,n,late
                        1,1,t,x,2024-02-29,2024-01-01 10:00:00.5+00,01234,1,"[1, {""k"": ""v""}]",,
                        -9007199254740993,0.0025,,"yA
                        ",,2024-01-01 08:00:00+00,1,z,"\""s\""",,NaN
                        """);
    }

    @Test
    void objectsAreStructsAndArraysLists() throws IOException {
        assertThat(run(file("n.ndjson", """
                        {"id": 1, "user": {"name": "a", "at": {"x": 1, "y": 2.5}}, "l": [1, 2], "o": [{"k": "p", "v": [1]}, {"k": "q"}]}
                        {"id": 2, "user": null, "l": [], "o": null}
                        {"id": 3, "user": {"name": null}, "l": null, "o": [null, {"v": [2, 3]}], "x": {}}
                        """)).exitCode()).isZero();
        assertThat(sql("select id, (\"user\").name, ((\"user\").at).y, l, l[2], cardinality(o), x from n order by id"))
                .isEqualTo("""
                        id,name,y,l,l,cardinality,x
                        1,a,2.5,"{1,2}",2,2,
                        2,,,{},,,
                        3,,,,,2,{}
                        """);
        assertThat(sql("select id, o.k, e from n, unnest(n.o) o, unnest(o.v) e order by id, 3"))
                .isEqualTo("id,k,e\n1,p,1\n3,,2\n3,,3\n");
        assertThat(run(file("deep.json", "{\"o\": [{\"k\": 1, \"g\": [{\"z\": 2}]}]}"))
                        .exitCode())
                .isZero();
        assertThat(sql("select g.z, to_json(d) from deep d, unnest(d.o) i, unnest(i.g) g"))
                .isEqualTo("z,to_json\n2,\"{\"\"o\"\":[{\"\"k\"\":1,\"\"g\"\":[{\"\"z\"\":2}]}]}\"\n");
        assertThat(sql("select to_json(i), cardinality(i.g), (i.g[1]) is null n from deep d, unnest(d.o) i"))
                .isEqualTo("to_json,cardinality,n\n\"{\"\"k\"\":1,\"\"g\"\":[{\"\"z\"\":2}]}\",1,f\n");
    }

    /// What differs from row to row is json, wherever it stands.
    @Test
    void membersOfSeveralKindsAreJson() throws IOException {
        assertThat(run(file("m.ndjson", """
                        {"s": {"v": "x", "l": [1, {"a": "b"}]}, "o": [{"w": {"k": 1}}]}
                        {"s": {"v": {"u": 7}, "l": null}, "o": [{"w": [2]}, {"w": null}]}
                        """)).exitCode()).isZero();
        assertThat(
                        sql(
                                "select (s).v->>'u' u, pg_typeof((s).v) t, pg_typeof((s).l) l, (s).l[2]->>'a' a from m order by 1"))
                .isEqualTo("u,t,l,a\n7,json,json[],\n,json,json[],b\n");
        assertThat(sql("select o.w->>'k' k, o.w->>0 f from m, unnest(m.o) o order by 1, 2"))
                .isEqualTo("k,f\n1,\n,2\n,\n");
    }

    /// A day without a member, or with one more, is added to those before it.
    @Test
    void appendedStructsNeedNotHaveTheSameMembers() throws IOException {
        String[] days = {
            "{\"id\": 1, \"u\": {\"n\": \"a\", \"at\": {\"x\": 1.5}}, \"l\": [{\"k\": 1, \"t\": [\"p\"]}]}",
            "{\"id\": 2, \"u\": null, \"l\": []}",
            "{\"id\": 3, \"u\": {\"n\": null, \"at\": {\"x\": 2, \"y\": true}, \"new\": \"b\"}, \"l\": [{\"k\": null}, {\"t\": [], \"z\": 7}]}",
        };
        for (int day = 0; day < days.length; day++) {
            CommandRun outcome = run(file(day + ".jsonl", days[day]), "--name", "d", "--append");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        }
        assertThat(sql("select id, u, ((u).at).x, ((u).at).y, (u).new, cardinality(l) c from d order by id"))
                .isEqualTo("""
                        id,u,x,y,new,c
                        1,"(a,""(1.5,)"",)",1.5,,,1
                        2,,,,,0
                        3,"(,""(2,t)"",b)",2,t,b,2
                        """);
        assertThat(
                        sql(
                                "select id, e.k, e.z, w from d left join unnest(d.l) e on true left join unnest(e.t) o(w) on true order by 1, 3"))
                .isEqualTo("id,k,z,w\n1,1,,p\n2,,,\n3,,7,\n3,,,\n");
        String withLists = "{\"id\": 4, \"l\": [{\"k\": 9, \"g\": [{\"q\": 1}]}]}";
        assertThat(run(file("4.jsonl", withLists), "--name", "d", "--append").exitCode())
                .isZero();
        assertThat(sql("select id, cardinality(e.g) c, e.g is null n from d, unnest(d.l) e order by 1"))
                .isEqualTo("id,c,n\n1,,t\n3,,t\n3,,t\n4,1,f\n");
        CommandRun refused = run(file("w.jsonl", "{\"id\": 4, \"u\": {\"at\": 5}}"), "--name", "d", "--append");
        assertThat(refused.err()).contains("42804", "column \"u\" of table \"d\"");
    }

    /// Texts of few values in structs are codes, in each file of a table its own; so they are grouped and compared.
    @Test
    void repeatedTextsInStructsAreCodes() throws IOException {
        List<String> kinds = List.of("like", "post", "é");
        for (int part = 0; part < 2; part++) {
            StringBuilder lines = new StringBuilder();
            for (int row = 0; row < 3000; row++) {
                String inner = row % 7 == 0 ? "null" : "{\"x\": \"" + kinds.get((row + part) % 3) + "\"}";
                lines.append("{\"s\": {\"k\": \"" + kinds.get(row % (3 - part)) + "\", \"u\": \"" + row + "\", \"i\": "
                        + inner + "}}\n");
            }
            Path more = file("c" + part + ".ndjson", lines.toString());
            CommandRun outcome = part == 0 ? run(more, "--name", "c") : run(more, "--name", "c", "--append");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        }
        assertThat(sql("select (s).k, count(*), count(distinct (s).u) from c group by 1 order by 1"))
                .isEqualTo("k,count,count\nlike,2500,2000\npost,2500,2000\né,1000,1000\n");
        assertThat(sql("select ((s).i).x, count(*) from c where (s).k = 'post' group by 1 order by 1"))
                .isEqualTo("x,count\nlike,429\npost,1286\né,428\n,357\n");
        assertThat(sql("select count(*) from c where ((s).i) is null")).isEqualTo("count\n858\n");
        assertThat(sql("select s, to_json(c) j from c where (s).u = '8' order by 1"))
                .isEqualTo("""
                        s,j
                        "(like,8,""(like)"")","{""s"":{""k"":""like"",""u"":""8"",""i"":{""x"":""like""}}}"
                        "(é,8,""(é)"")","{""s"":{""k"":""é"",""u"":""8"",""i"":{""x"":""é""}}}"
                        """);
        try (Stream<Path> files = Files.walk(folder.resolve("root"))) {
            assertThat(files.filter(each -> each.toString().endsWith(".arrow")).toList())
                    .hasSize(2)
                    .allSatisfy(each -> {
                        try (ArrowFile file = ArrowFile.open(each)) {
                            assertThat(file.storage(file.columnIndex("(s).k")).describe())
                                    .startsWith("dictionary");
                            assertThat(file.storage(file.columnIndex("(s).u")).describe())
                                    .isEqualTo("utf8");
                        }
                    });
        }
    }

    /// What the first rows have not makes all of them be looked at; a table that is there keeps its types.
    @Test
    void laterRowsMayHaveMore() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int row = 0; row < 12_000; row++) {
            lines.append("{\"i\": ").append(row).append(", \"s\": {\"a\": 1}}\n");
        }
        Path file = file("late.jsonl", lines + "{\"i\": 0.5, \"s\": {\"a\": 2, \"b\": [true]}, \"more\": \"x\"}\n");
        CommandRun outcome = run(file);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err())
                .contains("late.jsonl, line 12001 has what the rows before have not")
                .contains("12,001 rows of 1 file written");
        assertThat(sql("select sum(i), sum((s).a), max(((s).b)[1]::text), max(more) from late"))
                .isEqualTo("sum,sum,max,max\n71994000.5,12002,true,x\n");
        assertThat(run(file("a.json", "{\"n\": 1.5, \"d\": \"2024-01-01\"}"), "--name", "kept")
                        .exitCode())
                .isZero();
        Path more = folder.resolve("more.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(more))) {
            out.write("{\"n\": 2, \"d\": \"2024-01-02\"}\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(run(more, "--name", "kept", "--append").exitCode()).isZero();
        assertThat(sql("select sum(n), max(d) from kept")).isEqualTo("sum,max\n3.5,2024-01-02\n");
        CommandRun refused = run(
                file("w.json", "{\"n\": 1, \"d\": \"2024-01-02\"}\n{\"n\": \"x\", \"d\": null}"),
                "--name",
                "kept",
                "--append");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("w.json, line 2");
        assertThat(sql("select count(*) from kept")).isEqualTo("count\n2\n");
    }

    @Test
    void filesNeedNotHaveTheSameColumns() throws IOException {
        Files.createDirectory(folder.resolve("logs"));
        file("logs/1.json", "{\"a\": 1, \"b\": \"x\"}\n");
        file("logs/2.json", "[{\"a\": 2.5, \"c\": true}]");
        file("logs/3.json", "\n");
        assertThat(run(folder.resolve("logs")).err()).contains("2 rows of 3 files written to public.logs");
        assertThat(sql("select a, b, c from logs order by a")).isEqualTo("a,b,c\n1,x,\n2.5,,t\n");
    }

    /// Later days need not look as the first.
    @Test
    void aTableThatIsThereSaysWhatIsJson() throws IOException {
        assertThat(run(file("day1.json", "{\"id\": 1, \"v\": 1}\n{\"id\": 2, \"v\": [1]}\n"), "--name", "days")
                        .exitCode())
                .isZero();
        assertThat(run(file("day2.json", "{\"id\": 3, \"v\": {\"a\": 1}}\n"), "--name", "days", "--append")
                        .exitCode())
                .isZero();
        assertThat(sql("select id, v from days order by id")).isEqualTo("id,v\n1,1\n2,[1]\n3,\"{\"\"a\"\": 1}\"\n");
    }

    /// As PostgreSQL's json, which is the text that was given: no digit, blank or member is lost.
    @Test
    void jsonIsTheTextThatWasGiven() throws IOException {
        assertThat(run(file("j.ndjson", """
                        {"v": {"n": 1.10, "e": 1E+2, "big": 123456789012345678901234567890, "a": 1, "a": 2, "u": "\\u00e9\\ud800"}}
                        {"v": [ 1,NaN,{"x":-Infinity,"s":"NaN \\" Infinity"} ]}
                        {"v": "x"}
                        """)).exitCode()).isZero();
        assertThat(sql("select v from j"))
                .isEqualTo("v\n"
                        + "\"{\"\"n\"\": 1.10, \"\"e\"\": 1E+2, \"\"big\"\": 123456789012345678901234567890, \"\"a\"\": 1, \"\"a\"\": 2,"
                        + " \"\"u\"\": \"\"\\u00e9\\ud800\"\"}\"\n"
                        + "\"[ 1,\"\"NaN\"\",{\"\"x\"\":\"\"-Infinity\"\",\"\"s\"\":\"\"NaN \\\"\" Infinity\"\"} ]\"\n"
                        + "\"\"\"x\"\"\"\n");
    }

    @Test
    void integersBeyond64BitsAreNumeric() throws IOException {
        assertThat(run(file("w.ndjson", """
                        {"id": 18446744073709551615, "near": 9223372036854775807, "f": 18446744073709551615, "l": [1]}
                        {"id": -1, "near": -9223372036854775808, "f": 0.5, "l": [99999999999999999999]}
                        {"id": null, "huge": 1e400, "l": []}
                        """)).exitCode()).isEqualTo(1);
        assertThat(run(file("w.ndjson", """
                        {"id": 18446744073709551615, "near": 9223372036854775807, "f": 18446744073709551615, "l": [1]}
                        {"id": -1, "near": -9223372036854775808, "f": 0.5, "l": [99999999999999999999]}
                        """)).exitCode()).isZero();
        assertThat(types("w")).isEqualTo("id numeric, near bigint, f double precision, l ARRAY");
        assertThat(sql("select id, near, f, l from w order by near desc")).isEqualTo("""
                        id,near,f,l
                        18446744073709551615,9223372036854775807,1.8446744073709552e+19,{1}
                        -1,-9223372036854775808,0.5,{99999999999999999999}
                        """);
    }

    /// A price is exact where it is said to be one.
    @Test
    void typesMayBeSaid() throws IOException {
        Path file = file(
                "p.ndjson", "{\"id\": 1, \"price\": 1.10, \"at\": \"2024-01-01\"}\n{\"id\": 2, \"price\": \"2.5\"}\n");
        CommandRun outcome = run(file, "--columns", "price numeric(10,2), at timestamp, id int not null, more text");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(types("p")).isEqualTo("id integer, price numeric, at timestamp without time zone");
        assertThat(sql("select * from p order by id")).isEqualTo("id,price,at\n1,1.10,2024-01-01 00:00:00\n2,2.50,\n");
        assertThat(run(file, "--columns", "at timestamp not null").err()).contains("23502", "p.ndjson, line 2");
        assertThat(run(file, "--delimiter", ";").err()).contains("--delimiter is for CSV, and this is json");
        assertThat(run(file, "--null", "x").exitCode()).isEqualTo(2);
    }

    /// Of members of one name the last counts, whatever the first was; those that are left out are NULL.
    @Test
    void theLastOfSeveralMembersCounts() throws IOException {
        assertThat(run(file("m.ndjson", """
                        {"a": 1, "s": {"x": 1, "y": "p", "l": [{"k": 1}, {"k": 2}]}, "a": null, "t": "z"}
                        {"s": {"x": 2}, "s": {"y": "q", "l": [{"k": 3, "j": true}]}, "a": 5, "a": 6, "t": "y", "t": "\\u0041"}
                        {"s": null, "a": 7, "n\\u0061me": "n"}
                        {"s": {"l": [{"k": 4}], "l": [{"j": false}, null]}}
                        """)).exitCode()).isZero();
        assertThat(sql("select a, (s).x, (s).y, to_json((s).l) l, t, name from m"))
                .isEqualTo("""
                        a,x,y,l,t,name
                        ,1,p,"[{""k"":1,""j"":null},{""k"":2,""j"":null}]",z,
                        6,,q,"[{""k"":3,""j"":true}]",A,
                        7,,,,,n
                        ,,,"[{""k"":null,""j"":false},null]",,
                        """);
    }

    /// Half a surrogate pair is no character of a text.
    @Test
    void halvesOfPairsAreReplaced() throws IOException {
        assertThat(run(file("h.ndjson", "{\"t\": \"a\\ud83d\\ude00b\\ud800c\\udc00\"}\n"))
                        .exitCode())
                .isZero();
        assertThat(sql("select t from h")).isEqualTo("t\na😀b\ufffdc\ufffd\n");
    }

    /// Rows before one that is no JSON may be wrong, too: the first is told.
    @Test
    void theFirstWrongRowIsTold() throws IOException {
        assertThat(run(file("k.ndjson", "{\"d\": \"2024-01-01\", \"i\": 1}\n"), "--name", "k")
                        .exitCode())
                .isZero();
        CommandRun outcome = run(
                file("k2.ndjson", "{\"d\": \"2024-01-02\", \"i\": 1}\n{\"d\": \"x\", \"i\": 2}\n{\"i\": \"y\"}\n{,}\n"),
                "--name",
                "k",
                "--append");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("22P02").contains("k2.ndjson, line 4");
        outcome = run(
                file("k3.ndjson", "{\"d\": \"2024-01-02\", \"i\": 1}\n{\"d\": \"x\", \"i\": 2}\n{\"i\": \"y\"}\n"),
                "--name",
                "k",
                "--append");
        assertThat(outcome.err()).contains("k3.ndjson, line 2");
    }

    @Test
    void brokenFilesChangeNothing() throws IOException {
        assertThat(run(file("t.json", "{\"a\": 1}")).exitCode()).isZero();
        CommandRun broken = run(file("b.json", "{\"a\": 1}\n{\"a\": 1,,}\n"), "--name", "t");
        assertThat(broken.exitCode()).isEqualTo(1);
        assertThat(broken.err()).contains("22P02").contains("b.json, line 2");
        assertThat(run(file("c.json", "[{\"a\": 1},\n"), "--name", "t").err())
                .contains("the file ends within the array");
        assertThat(run(file("z.json", "{\"a\": \"x\\u0000\"}"), "--name", "t").err())
                .contains("22P05")
                .contains("z.json, line 1");
        assertThat(run(file("g.json.gz", "x"), "--name", "t").err())
                .contains("g.json.gz\" is not whole or not of gzip");
        CommandRun empty = run(file("e.json", "[]"), "--name", "t");
        assertThat(empty.err()).contains("has no rows");
        assertThat(sql("select a from t")).isEqualTo("a\n1\n");
    }
}
