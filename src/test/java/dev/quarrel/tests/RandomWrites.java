package dev.quarrel.tests;

import java.util.List;
import java.util.Random;

/// Random statements that write: tables of a few names and columns, which are there or not as it happens.
final class RandomWrites {
    private static final List<String> NAMES = List.of("a", "b", "s.a", "s.c", "tmp");
    private static final List<String> TEXTS = List.of("'x'", "'yy'", "null", "'long text'", "''", "'Z' || 1");

    /// What there is to begin with.
    static final List<String> FIRST = List.of(
            "create table a (i int, t varchar(9), n numeric(8, 2))",
            "insert into a select g, 'x' || g, g * 1.5 from generate_series(1, 9) g",
            "create table b (like a)",
            "create schema s",
            "create table s.a as select * from a where i > 3",
            "create temp table tmp (like a)",
            "create table k (i int primary key, t varchar(9) unique default 'kk', n numeric(8, 2) default 1.5)");

    private final Random random;
    private boolean hasView; // which keeps to its table in PostgreSQL, whatever that is called then

    RandomWrites(Random random) {
        this.random = random;
    }

    private String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private String name() {
        return one(NAMES);
    }

    private String number() {
        return random.nextInt(8) == 0 ? "null" : Integer.toString(random.nextInt(20) - 5);
    }

    private String condition() {
        return switch (random.nextInt(8)) {
            case 0 -> "i > " + number();
            case 1 -> "i is null";
            case 2 -> "t = " + one(TEXTS);
            case 3 -> "i in (select i from " + name() + ")";
            case 4 -> "n between " + number() + " and " + number();
            case 5 -> "not (t like '%y%')";
            case 6 -> "exists (select 1 from " + name() + " x where x.i = n)";
            default -> "i % 3 = " + random.nextInt(3);
        };
    }

    private String rows() {
        StringBuilder rows = new StringBuilder("values ");
        int count = 1 + random.nextInt(4);
        for (int row = 0; row < count; row++) {
            rows.append(row == 0 ? "(" : ", (")
                    .append(number())
                    .append(", ")
                    .append(one(TEXTS))
                    .append(", ")
                    .append(number())
                    .append(random.nextInt(3) == 0 ? ".25)" : ")");
        }
        return rows.toString().replace("null.25", "null");
    }

    /// What a table holds, in an order of its own.
    String look() {
        return "select i, t, n from " + name() + " order by 1, 2, 3";
    }

    String next() {
        return switch (random.nextInt(42)) {
            case 0, 1 -> "begin";
            case 2, 3 -> "commit";
            case 4 -> "rollback";
            case 5 -> "savepoint " + one(List.of("p", "q"));
            case 6 -> "rollback to " + one(List.of("p", "q"));
            case 7 -> "release " + one(List.of("p", "q"));
            case 8, 9 -> "create table " + name() + " (i int, t varchar(9), n numeric(8, 2))";
            case 10 ->
                "create table " + name() + " as select i, t::varchar(9) as t, n from " + name() + " where "
                        + condition();
            case 11 ->
                "create temp table tmp (i int, t varchar(9), n numeric(8, 2))" + one(List.of("", " on commit drop"));
            case 12 -> "create table if not exists " + name() + " (like " + name() + ")";
            case 13 -> "drop table " + one(List.of("", "if exists ")) + name() + one(List.of("", "", " cascade"));
            case 14 -> "truncate " + name();
            case 15 ->
                hasView
                        ? "alter table " + name() + " add column if not exists more text"
                        : "alter table " + name() + " rename to " + one(List.of("a", "b", "c"));
            case 16 -> one(List.of("create schema s", "create schema if not exists s", "drop schema s cascade"));
            case 17 -> {
                hasView = true;
                yield "create or replace view v as select i, t, n from " + one(List.of("public.a", "public.b", "s.a"));
            }
            case 18 -> one(List.of("select i, t, n from v order by 1, 2, 3", "drop view v", "drop view if exists v"));
            case 19, 20 -> "delete from " + name() + " where " + condition();
            case 21 -> "delete from " + name() + " x using " + name() + " y where x.i = y.i + 1";
            case 22, 23 -> "update " + name() + " set " + assignments() + " where " + condition();
            case 24, 25, 26, 27 -> "insert into " + name() + " " + rows();
            case 30, 31, 32 -> merge();
            case 33 -> defaulted();
            case 34 -> "delete from " + name() + " where " + condition() + " returning 'gone'";
            case 35 -> "update " + name() + " set n = default where " + condition() + " returning 'changed', 1 + 1";
            case 36 -> "insert into " + name() + " " + rows() + " returning *, i + 1, upper(t) as up";
            case 37, 38, 39, 40, 41 -> keyed();
            case 28 -> "insert into " + name() + " (n, i) select n + 1, i from " + name();
            default -> "insert into " + name() + " select i * 2, t, n / 3 from " + name() + " where " + condition();
        };
    }

    private String defaulted() {
        return switch (random.nextInt(6)) {
            case 0 ->
                "create table " + name()
                        + " (i int default 3, t varchar(9) default 'd' || 'd', n numeric(8, 2) default -1)";
            case 1 ->
                "alter table " + name() + " alter column t set default " + one(List.of("'set'", "null", "'a' || 1"));
            case 2 -> "alter table " + name() + " alter column i drop default";
            case 3 -> "insert into " + name() + " default values returning i, t, n";
            case 4 -> "insert into " + name() + " values (default, 'x', default), (" + number() + ", default, 2)";
            default -> "insert into " + name() + " (n) values (" + number() + "), (default)";
        };
    }

    /// Of a table with keys, of which a statement adds or changes one row: of several that fail the servers may tell
    /// another one.
    private String keyed() {
        int key = random.nextInt(8);
        String values = "(" + key + ", 'u" + random.nextInt(8) + "', " + number() + ")";
        String returning = one(List.of("", " returning *", " returning i, t, n + 1"));
        return switch (random.nextInt(10)) {
            case 0, 1 -> "insert into k values " + values + returning;
            case 2 -> "insert into k (i) values (" + key + ")" + returning;
            case 3 -> "insert into k values " + values + " on conflict do nothing" + returning;
            case 4 ->
                "insert into k values " + values + " on conflict " + one(List.of("(i)", "(t)", "on constraint k_t_key"))
                        + " do nothing" + returning;
            case 5, 6 ->
                "insert into k values " + values + " on conflict (i) do update set "
                        + one(List.of(
                                "n = k.n + 1", "t = excluded.t", "n = default, t = k.t || 'x'", "i = 7 - excluded.i"))
                        + one(List.of("", " where k.n > 2"))
                        + returning;
            case 7 ->
                "update k set " + one(List.of("n = n + 1", "t = default", "i = " + random.nextInt(8), "t = 'u1'"))
                        + " where i = " + key + returning;
            case 8 -> "delete from k where i = " + key + returning;
            default -> "select i, t, n from k order by 1";
        };
    }

    /// Of what fails by several rows the servers may tell another one: values always fit.
    private String merge() {
        String source = random.nextInt(4) == 0
                ? name() + " y"
                : "(select i, max(t) as t, max(n) as n from " + name() + " group by i) y";
        StringBuilder merge = new StringBuilder("merge into ")
                .append(name())
                .append(" x using ")
                .append(source)
                .append(one(List.of(" on x.i = y.i", " on x.i = y.i", " on x.i + 1 = y.i and y.n > 2", " on false")));
        if (random.nextInt(3) > 0) {
            merge.append(
                    one(
                            List.of(
                                    " when matched and y.n > x.n then delete",
                                    " when matched and x.i % 2 = 0 then do nothing",
                                    " when matched and case when y.t is null then true else x.t = y.t end then update set i = y.i + 1")));
        }
        if (random.nextInt(3) > 0) {
            merge.append(one(List.of(
                    " when matched then update set n = " + number(),
                    " when matched then update set (t, n) = (y.t, default)",
                    " when matched then delete")));
        }
        if (random.nextInt(3) > 0) {
            merge.append(one(List.of(
                    " when not matched then insert (i, t) values (y.i, y.t)",
                    " when not matched and y.t is not null then insert values (i + 20, t)",
                    " when not matched by target and y.i > 3 then insert (n, i) values (default, y.i)")));
        }
        if (random.nextInt(4) == 0) {
            merge.append(one(List.of(
                    " when not matched by source and x.i < 3 then delete",
                    " when not matched by source then update set t = 'left'",
                    " when not matched by source and x.n is null then do nothing")));
        }
        return merge.toString();
    }

    /// What writes nothing and depends on its transaction.
    String other() {
        return switch (random.nextInt(10)) {
            case 0 -> "select 1 / 0";
            case 1 -> "set local extra_float_digits = " + random.nextInt(3);
            case 2 -> "set extra_float_digits = " + random.nextInt(3);
            case 3 -> "declare c cursor for select i from " + name() + " order by 1";
            case 4 -> "fetch 2 from c";
            case 5 -> "declare h cursor with hold for select i from " + name() + " order by 1";
            case 6 -> one(List.of("fetch 1 from h", "close h", "commit and chain", "rollback and chain"));
            case 7 -> one(List.of("set default_transaction_read_only = on", "set default_transaction_read_only = off"));
            case 8 -> one(List.of("show transaction_read_only", "show transaction_isolation", "begin read only"));
            default -> "show extra_float_digits";
        };
    }

    private String assignments() {
        return switch (random.nextInt(5)) {
            case 0 -> "i = i + 1";
            case 1 -> "t = t || '!'";
            case 2 -> "(n, t) = (n * 2.5, " + one(TEXTS) + ")";
            case 3 -> "i = n, n = i";
            default -> "n = " + number();
        };
    }
}
