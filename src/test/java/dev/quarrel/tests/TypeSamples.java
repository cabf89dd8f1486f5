package dev.quarrel.tests;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A column of every type, with random values, NULLs and edges.
final class TypeSamples {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    private TypeSamples() {}

    /// A column: its type, an expression of random values, and values worth a look.
    record Sample(String type, String random, List<String> edges) {
        Sample(String type, String random, String... edges) {
            this(type, random, List.of(edges));
        }
    }

    /// Types that Quarrel has values of.
    static Map<String, Sample> own() {
        Map<String, Sample> samples = new LinkedHashMap<>();
        samples.put("flag", new Sample("boolean", "random() < 0.5"));
        samples.put("i2", new Sample("smallint", "(random() * 65535 - 32768)::int2", "-32768", "32767"));
        samples.put("i4", new Sample("integer", "(random() * 4e9 - 2e9)::int", "-2147483648", "2147483647"));
        samples.put(
                "i8",
                new Sample(
                        "bigint", "(random() * 1.8e19 - 9e18)::int8", "-9223372036854775808", "9223372036854775807"));
        samples.put("oids1", new Sample("oid", "(random() * 4e9)::int8::oid", "0", "4294967295"));
        samples.put(
                "f4",
                new Sample(
                        "real",
                        "(random() * 10 ^ (random() * 60 - 30))::float4",
                        "NaN",
                        "Infinity",
                        "-Infinity",
                        "-0",
                        "3.4028235e38",
                        "1e-45",
                        "100000",
                        "1e6"));
        samples.put(
                "f8",
                new Sample(
                        "double precision",
                        "(random() - 0.5) * 10 ^ (random() * 600 - 300)",
                        "NaN",
                        "Infinity",
                        "-Infinity",
                        "-0",
                        "1.7976931348623157e308",
                        "5e-324",
                        "1e15",
                        "100000000000000"));
        samples.put("n92", new Sample("numeric(9, 2)", "(random() * 1e7)::numeric(9, 2)", "-9999999.99", "0.00"));
        samples.put(
                "n38",
                new Sample(
                        "numeric(38, 10)",
                        "(random() * 1e15)::numeric * 1000000",
                        "9999999999999999999999999999.9999999999",
                        "-0.0000000001"));
        samples.put("n24", new Sample("numeric(2, 4)", "(random() / 200)::numeric(2, 4)", "0.0099"));
        samples.put("n3m2", new Sample("numeric(3, -2)", "(random() * 9e4)::numeric(3, -2)", "99900", "-100"));
        samples.put("t", new Sample("text", "md5(random()::text)", "", "é€😀", "NULL", "a\nb", "\\\"'"));
        samples.put("v10", new Sample("varchar(10)", "substr(md5(random()::text), 1, 10)", "", "  x  "));
        samples.put("c5", new Sample("char(5)", "substr(md5(random()::text), 1, (random() * 5)::int)", "", "a b"));
        samples.put("c1", new Sample("\"char\"", "chr(33 + (random() * 90)::int)::\"char\"", "", "\\200"));
        samples.put("nm", new Sample("name", "substr(md5(random()::text), 1, 12)", "", "x"));
        samples.put("by", new Sample("bytea", "decode(md5(random()::text), 'hex')", "", "\\x00ff", "\\xdeadbeef"));
        samples.put(
                "d",
                new Sample(
                        "date",
                        "'2000-01-01'::date + (random() * 40000 - 20000)::int",
                        "infinity",
                        "-infinity",
                        "0001-01-01 BC",
                        "4713-01-01 BC",
                        "5874897-12-31",
                        "1969-12-31",
                        "2000-02-29"));
        samples.put(
                "tm",
                new Sample(
                        "time", "time '00:00' + random() * interval '23:59:59'", "00:00", "24:00", "23:59:59.999999"));
        String[] moments = {
            "infinity",
            "-infinity",
            "0044-03-15 12:00:00.5 BC",
            "4713-01-01 00:00:00 BC",
            "1969-12-31 23:59:59.999999",
            "294246-12-31 23:59:59.999999"
        };
        samples.put("ts", new Sample("timestamp", "'2000-01-01'::timestamp + random() * interval '30 years'", moments));
        samples.put(
                "tz", new Sample("timestamptz", "'2000-01-01'::timestamptz + random() * interval '30 years'", moments));
        samples.put(
                "iv",
                new Sample(
                        "interval",
                        "random() * interval '900 days' - random() * interval '9 years 3 months 20:00'",
                        "infinity",
                        "-infinity",
                        "0",
                        "1 mon -1 day",
                        "-1 year 2 mons 3 days -04:05:06.789",
                        "178000000 years",
                        "00:00:00.000001",
                        "-00:00:01"));
        samples.put(
                "u",
                new Sample(
                        "uuid",
                        "gen_random_uuid()",
                        "00000000-0000-0000-0000-000000000000",
                        "ffffffff-ffff-ffff-ffff-ffffffffffff"));
        return samples;
    }

    /// Types that Quarrel has no values of, arrays and the like.
    static Map<String, Sample> others() {
        Map<String, Sample> samples = new LinkedHashMap<>();
        String text = "substr(md5(random()::text), 1, (random() * 12)::int)";
        samples.put(
                "inet",
                new Sample(
                        "inet",
                        "'10.0.0.0'::inet + (random() * 1e6)::int",
                        "0.0.0.0/0",
                        "255.255.255.255",
                        "::ffff:1.2.3.4/96",
                        "2001:db8::1/64",
                        "::",
                        "fe80::1"));
        samples.put(
                "cidr",
                new Sample(
                        "cidr",
                        "network(set_masklen('10.0.0.0'::inet + (random() * 1e6)::int, 24))",
                        "0.0.0.0/0",
                        "10.1.2.3/32",
                        "2001:db8::/32",
                        "::1/128"));
        samples.put(
                "macaddr",
                new Sample(
                        "macaddr",
                        "('08:00:2b:01:02:' || lpad(to_hex((random() * 255)::int), 2, '0'))::macaddr",
                        "ff:ff:ff:ff:ff:ff"));
        samples.put(
                "macaddr8",
                new Sample(
                        "macaddr8",
                        "('08:00:2b:01:02:03:04:' || lpad(to_hex((random() * 255)::int), 2, '0'))::macaddr8"));
        samples.put(
                "json",
                new Sample(
                        "json",
                        "json_build_object('a', random(), 'b', " + text + ")",
                        "{\"a\" : 1 , \"a\": 2}",
                        "null",
                        "[]",
                        "\"\\u00e9 é\"",
                        " 1.0 "));
        samples.put(
                "jsonb",
                new Sample(
                        "jsonb",
                        "jsonb_build_object('a', (random() * 9)::int, 'b', " + text + ")",
                        "{\"b\" : 1 , \"a\": [1, 2.0, null, true]}",
                        "1.0",
                        "1",
                        "\"x\"",
                        "{}"));
        samples.put("jsonpath", new Sample("jsonpath", "'$.a[*] ? (@ > 3)'::jsonpath"));
        samples.put("money", new Sample("money", "(random() * 1e7)::numeric::money", "-92233720368547758.08", "0.01"));
        samples.put("bits", new Sample("bit(11)", "(random() * 2047)::int::bit(11)", "00000000000", "11111111111"));
        samples.put(
                "varbits", new Sample("bit varying", "(random() * 127)::int::bit(7)::varbit", "", "1", "101010101"));
        samples.put(
                "timetz",
                new Sample(
                        "timetz",
                        "((time '00:00' + random() * interval '23 hours')::text || '+05:30')::timetz",
                        "24:00:00-15:59",
                        "00:00:00+15:59:59",
                        "12:34:56.789012+00",
                        "12:00+01",
                        "11:00+00"));
        samples.put("point", new Sample("point", "point(random() * 10, -random())", "(1e300,-Infinity)", "(NaN,0)"));
        samples.put("box", new Sample("box", "box(point(random(), 1), point(-1, random()))"));
        samples.put("line", new Sample("line", "'{1,-1,0.5}'::line"));
        samples.put("lseg", new Sample("lseg", "lseg(point(random(), 1), point(-1, random()))"));
        samples.put("path", new Sample("path", "'[(0,0),(1,2.5)]'::path", "((0,0),(1,1),(2,0))"));
        samples.put("polygon", new Sample("polygon", "'((0,0),(1,1),(2,0))'::polygon"));
        samples.put("circle", new Sample("circle", "circle(point(random(), 1), random())"));
        samples.put(
                "tsvector", new Sample("tsvector", "to_tsvector('simple', " + text + " || ' a ' || " + text + ")", ""));
        samples.put("tsquery", new Sample("tsquery", "'fat & (rat | cat:AB)'::tsquery"));
        samples.put(
                "int4range", new Sample("int4range", "int4range(0, (random() * 50)::int)", "empty", "(,)", "[5,5]"));
        samples.put(
                "numrange",
                new Sample("numrange", "numrange(0, (random() * 50)::numeric(9, 3))", "[1.0,2)", "[1,2.00)"));
        samples.put(
                "daterange",
                new Sample(
                        "daterange",
                        "daterange('2020-01-01', '2020-01-02'::date + (random() * 50)::int)",
                        "[,infinity)"));
        samples.put("tstzrange", new Sample("tstzrange", "tstzrange(now(), NULL)", "[2020-01-01,2021-01-01]"));
        samples.put(
                "multi",
                new Sample(
                        "int4multirange",
                        "int4multirange(int4range(0, 1 + (random() * 50)::int))",
                        "{}",
                        "{[1,2],[5,9)}"));
        samples.put("xid", new Sample("xid", "(random() * 1e9)::int::text::xid", "0", "4294967295"));
        samples.put("xid8", new Sample("xid8", "(random() * 1e9)::int::text::xid8", "18446744073709551615"));
        samples.put("cid", new Sample("cid", "(random() * 1e9)::int::text::cid"));
        samples.put("tid", new Sample("tid", "'(7,8)'::tid", "(4294967295,65535)"));
        samples.put("lsn", new Sample("pg_lsn", "'16/B374D848'::pg_lsn", "0/0", "FFFFFFFF/FFFFFFFF"));
        samples.put("class", new Sample("regclass", "'pg_class'::regclass", "pg_type"));
        samples.put("type", new Sample("regtype", "'int4'::regtype", "double precision", "mood"));
        samples.put(
                "free",
                new Sample(
                        "numeric",
                        "round((random() * 1e9)::numeric, (random() * 9)::int)",
                        "0.00",
                        "-1.50",
                        "99999999999999999999999999999999999999",
                        "NaN",
                        "Infinity",
                        "-Infinity"));
        samples.put("snapshot", new Sample("pg_snapshot", "'10:20:10,14,15'::pg_snapshot"));
        samples.put("int2vec", new Sample("int2vector", "'1 2 3'::int2vector"));
        samples.put("oidvec", new Sample("oidvector", "'1 2 3'::oidvector"));
        samples.put(
                "feeling",
                new Sample("mood", "(enum_range(NULL::mood))[1 + (random() * 2)::int]", "ok", "so, so \"x\""));
        samples.put("felt", new Sample("felt_mood", "(enum_range(NULL::mood))[1 + (random() * 2)::int]::felt_mood"));
        samples.put("small", new Sample("positive", "1 + (random() * 9)::int", "1"));
        samples.put(
                "pair",
                new Sample("pair", "ROW((random() * 9)::int, " + text + ")::pair", "(,)", "(1,\"a,b \"\"c\"\"\")"));
        samples.put(
                "pairs", new Sample("pair[]", "ARRAY[ROW((random() * 9)::int, " + text + ")::pair]", "{}", "{NULL}"));
        samples.put("moods", new Sample("mood[]", "ARRAY['ok', 'bad']::mood[]", "{}", "{{ok},{bad}}"));
        samples.put(
                "ints",
                new Sample(
                        "int[]",
                        "ARRAY[(random() * 9)::int, NULL, 3]",
                        "{}",
                        "{NULL}",
                        "{{1,2},{3,NULL}}",
                        "[0:1]={5,6}",
                        "[-1:0][2:3]={{1,2},{3,4}}",
                        "{{{1},{2}}}"));
        samples.put(
                "texts",
                new Sample(
                        "text[]",
                        "ARRAY[" + text + ", " + text + "]",
                        "{\"\",\"a b\",\"a,b\",\"{x}\",\"q\\\"q\",\"b\\\\b\",NULL,\"NULL\"}",
                        "{{a,b},{c,d}}"));
        samples.put("names", new Sample("name[]", "ARRAY[" + text + "]::name[]"));
        samples.put("oids", new Sample("oid[]", "ARRAY[(random() * 1e9)::int]::oid[]"));
        samples.put("numerics", new Sample("numeric[]", "ARRAY[random()::numeric, 1.50]", "{NaN,1e60,0.000}"));
        samples.put("floats", new Sample("float8[]", "ARRAY[random(), 'NaN', '-Infinity']", "{-0,1e-300}"));
        samples.put("bools", new Sample("bool[]", "ARRAY[random() < 0.5, NULL]"));
        samples.put("bytes", new Sample("bytea[]", "ARRAY[decode(md5(random()::text), 'hex')]"));
        samples.put("days", new Sample("date[]", "ARRAY['2020-02-29'::date, 'infinity']"));
        samples.put("moments", new Sample("timestamptz[]", "ARRAY[now(), '-infinity']"));
        samples.put("spans", new Sample("interval[]", "ARRAY[random() * interval '1 day', '1 mon -3 days']"));
        samples.put("uuids", new Sample("uuid[]", "ARRAY[gen_random_uuid()]"));
        samples.put("nets", new Sample("inet[]", "ARRAY['10.0.0.1'::inet, NULL]"));
        samples.put("ranges", new Sample("int4range[]", "ARRAY[int4range(1, 5)]", "{empty,\"[1,2)\"}"));
        // What files hold as lists and structs throughout, since no value stands against it.
        samples.put("numbers", new Sample("int[]", "ARRAY[(random() * 9)::int, NULL, 3]", "{}", "{NULL}", "{-1}"));
        samples.put(
                "grid",
                new Sample(
                        "int8[]", "ARRAY[ARRAY[(random() * 9)::int, NULL], ARRAY[3, 4]]::int8[]", "{}", "{{1},{2}}"));
        samples.put(
                "cube",
                new Sample(
                        "text[]",
                        "ARRAY[ARRAY[ARRAY[" + text + ", NULL], ARRAY['a,b', '']]]",
                        "{}",
                        "{{{\"{\",\"\\\\\",\"NULL\",\"\\\"\"}}}"));
        samples.put(
                "prices", new Sample("numeric(10, 2)[]", "ARRAY[random() * 1000, NULL, -0.5]::numeric[]", "{0.00}"));
        samples.put(
                "inner",
                new Sample(
                        "inner_row",
                        "ROW(1 + (random() * 9)::int, ARRAY[" + text + ", NULL], int4range(1, 2 + (random() * 9)::int),"
                                + " ROW(1, " + text + ")::pair, now()::timestamp, random() * 100, 'ok', 'f',"
                                + " '{1.5,NaN}', gen_random_uuid(), interval '1 day 2 hours', 'x', '{}')::inner_row",
                        "(,,,,,,,,,,,,)",
                        "(1,\"{\"\"a b\"\",NULL,\"\"\"\"}\",empty,\"(,\"\"\"\")\",infinity,-0.01,,t,{},,,\"\",\"{\"\"(1,)\"\"}\")"));
        samples.put(
                "inners", new Sample("pair[]", "ARRAY[ROW(1, " + text + ")::pair, NULL, ROW(NULL, '\"')::pair]", "{}"));
        samples.put(
                "words",
                new Sample(
                        "word_range",
                        "word_range(' b', " + text + " || 'z', '[]')",
                        "[\"\",\"\"]",
                        "(,\")\")",
                        "empty"));
        samples.put(
                "many",
                new Sample("nummultirange", "nummultirange(numrange(1.50, 2), numrange(3, NULL))", "{}", "{(,)}"));
        samples.put(
                "multis",
                new Sample(
                        "int4multirange[]",
                        "ARRAY[int4multirange(int4range(0, 1 + (random() * 50)::int), int4range(70, 80)), NULL]",
                        "{\"{}\"}"));
        samples.put(
                "stays",
                new Sample(
                        "tsmultirange",
                        "tsmultirange(tsrange('2020-01-01', '2020-02-01 12:00'::timestamp + random() * interval '1 day'))",
                        "{[infinity,infinity]}",
                        "{(,2020-01-01)}"));
        // Types of extensions, and two that are no more than their names and texts.
        samples.put(
                "pairs_of_text",
                new Sample(
                        "hstore",
                        "hstore(ARRAY['a', " + text + "], ARRAY[" + text + ", NULL])",
                        "",
                        "\"a b\"=>\"\\\\\\\"=>,\", c=>NULL"));
        samples.put("tree", new Sample("ltree", "('top.a' || (random() * 9)::int)::ltree", ""));
        samples.put("citext", new Sample("citext", "'A' || " + text, "NULL"));
        samples.put(
                "embedding",
                new Sample(
                        "vector",
                        "('[' || array_to_string(ARRAY[random()::float4, -1.5, (random() * 1e-9)::float4], ',') || ']')::vector",
                        "[0]",
                        "[1,2,3e+20]"));
        samples.put(
                "shape",
                new Sample(
                        "geometry",
                        "('0101000000000000000000F03F' || upper(substr(md5(random()::text), 1, 12)) || 'F03F')::geometry",
                        "0101000000000000000000F0BF0000000000000000"));
        samples.put("no_shape", new Sample("geography", "upper(md5(random()::text))::geography", "POINT(1 2)"));
        return samples;
    }

    /// Makes a table of an `id` and these columns: random rows first, then one for each edge.
    static void fill(PostgresOracle oracle, String table, Map<String, Sample> samples, int randomRows) {
        System.out.println(table + ": -Dquarrel.seed=" + SEED);
        oracle.run("""
                CREATE EXTENSION IF NOT EXISTS hstore;
                CREATE EXTENSION IF NOT EXISTS ltree;
                CREATE EXTENSION IF NOT EXISTS citext;
                DO $$
                DECLARE name text;
                BEGIN
                    FOREACH name IN ARRAY ARRAY['vector', 'geometry', 'geography'] LOOP
                        EXECUTE format('CREATE TYPE %1$s', name);
                        EXECUTE format('CREATE FUNCTION %1$s_in(cstring) RETURNS %1$s STRICT IMMUTABLE LANGUAGE internal AS %2$L',
                            name, 'textin');
                        EXECUTE format('CREATE FUNCTION %1$s_out(%1$s) RETURNS cstring STRICT IMMUTABLE LANGUAGE internal AS %2$L',
                            name, 'textout');
                        EXECUTE format('CREATE TYPE %1$s (INPUT = %1$s_in, OUTPUT = %1$s_out, LIKE = text)', name);
                        EXECUTE format('CREATE CAST (text AS %1$s) WITHOUT FUNCTION', name);
                    END LOOP;
                EXCEPTION WHEN duplicate_object OR duplicate_function THEN NULL;
                END $$;
                DO $$ BEGIN
                    CREATE TYPE mood AS ENUM ('bad', 'ok', 'Good', 'so, so "x"');
                    CREATE TYPE pair AS (x int, y text);
                    CREATE DOMAIN positive AS int CHECK (VALUE > 0);
                    CREATE DOMAIN felt_mood AS mood;
                    CREATE TYPE word_range AS RANGE (subtype = text);
                    CREATE TYPE inner_row AS (
                        i positive, "a b" text[], r int4range, p pair, t timestamp, n numeric(9, 2), m mood, f boolean,
                        ns numeric[], u uuid, v interval, c char(3), ps pair[]);
                EXCEPTION WHEN duplicate_object THEN NULL;
                END $$;
                """);
        oracle.run("DROP TABLE IF EXISTS " + table);
        StringBuilder create = new StringBuilder("CREATE TABLE " + table + " (id int NOT NULL");
        samples.forEach((name, sample) ->
                create.append(", \"").append(name).append("\" ").append(sample.type()));
        oracle.run(create.append(")").toString());
        String values = samples.values().stream()
                .map(sample -> "CASE WHEN random() < 0.1 THEN NULL ELSE " + sample.random() + " END")
                .collect(Collectors.joining(", "));
        oracle.run("SELECT setseed(" + (SEED % 1000) / 1000.0 + "); INSERT INTO " + table + " SELECT g, " + values
                + " FROM generate_series(1, " + randomRows + ") g");
        int id = randomRows;
        for (Map.Entry<String, Sample> column : samples.entrySet()) {
            for (String edge : column.getValue().edges()) {
                id++;
                oracle.run("INSERT INTO " + table + " (id, \"" + column.getKey() + "\") VALUES (" + id + ", '"
                        + edge.replace("'", "''") + "')");
            }
        }
    }
}
