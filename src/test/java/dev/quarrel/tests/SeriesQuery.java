package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/// A random statement with the syntax for time series, over rows of its own, and the same in PostgreSQL's syntax.
///
/// @param ours as users of time series write it
/// @param theirs with LATERAL, DISTINCT ON and generate_series
record SeriesQuery(String ours, String theirs) {
    private static final String[] RELATIONS = {">=", ">", "<=", "<"};

    static SeriesQuery of(Random random) {
        return switch (random.nextInt(9)) {
            case 0, 1 -> nearest(random);
            case 2 -> latest(random);
            case 3, 4 -> gapfilled(random);
            case 5, 6 -> window(random);
            case 7 -> spliced(random);
            default -> sampled(random);
        };
    }

    /// Rows (id, k, ts, v); no two of one key have one time, and no two at all without NULLs.
    private static String rows(Random random, int count, boolean hasNulls) {
        List<String> rows = new ArrayList<>();
        int keys = 1 + random.nextInt(4);
        List<TreeSet<Integer>> times = new ArrayList<>();
        for (int key = 0; key <= keys; key++) {
            times.add(hasNulls || key == 0 ? new TreeSet<>() : times.getFirst());
        }
        for (int row = 0; row < count; row++) {
            int key = random.nextInt(keys + (hasNulls ? 1 : 0));
            int minute = random.nextInt(2_000);
            if (!times.get(key).add(minute)) {
                continue;
            }
            String name = key == keys ? "NULL" : "'k" + key + "'";
            String time = hasNulls && random.nextInt(12) == 0
                    ? "NULL"
                    : "timestamp '2020-02-28 12:00' + interval '" + minute + " minutes'";
            String value = random.nextInt(8) == 0 ? "NULL" : Integer.toString(random.nextInt(100));
            rows.add("(" + row + ", " + name + "::text, (" + time + ")::timestamp, " + value + "::int)");
        }
        if (rows.isEmpty()) {
            return "SELECT 0, 'k0'::text, timestamp '2020-02-28', 1 WHERE false";
        }
        if (random.nextBoolean()) {
            Collections.shuffle(rows, random);
        }
        return "VALUES " + String.join(", ", rows);
    }

    private static String with(Random random) {
        return "WITH a(id, k, ts, v) AS (" + rows(random, random.nextInt(40), true) + "), b(id, k, ts, v) AS ("
                + rows(random, random.nextInt(60), true) + ") ";
    }

    private static SeriesQuery nearest(Random random) {
        String relation = RELATIONS[random.nextInt(RELATIONS.length)];
        boolean isLeft = random.nextBoolean();
        boolean hasKey = random.nextInt(3) > 0;
        int tolerance = random.nextInt(3) == 0 ? 1 + random.nextInt(300) : 0;
        boolean isBefore = relation.startsWith(">");
        String with = with(random);
        String items = "SELECT a.id, a.k, a.ts, b.id, b.ts, b.v FROM a ";
        String filter = random.nextInt(3) == 0 ? " WHERE a.v > 40" : random.nextInt(4) == 0 ? " WHERE a.k = 'k0'" : "";
        String end = filter + " ORDER BY a.id";
        boolean isQuestDb = (relation.equals(">=") || relation.equals(">")) && random.nextInt(3) == 0;
        String ours = isQuestDb
                ? items + (relation.equals(">") ? "LT" : "ASOF") + (isLeft ? "" : " INNER") + " JOIN b"
                        + (hasKey ? " ON (k)" : "")
                : items + "ASOF" + (isLeft ? " LEFT" : "") + " JOIN b ON " + (hasKey ? "a.k = b.k AND " : "") + "a.ts "
                        + relation + " b.ts";
        ours += tolerance > 0 ? " TOLERANCE " + tolerance + "m" : "";
        String near = "(SELECT * FROM b WHERE a.ts " + relation + " b.ts" + (hasKey ? " AND a.k = b.k" : "")
                + " ORDER BY b.ts" + (isBefore ? " DESC" : "") + ", id LIMIT 1) b";
        String within = tolerance == 0
                ? "true"
                : isBefore
                        ? "b.ts >= a.ts - interval '" + tolerance + " minutes'"
                        : "b.ts <= a.ts + interval '" + tolerance + " minutes'";
        // Without a key several rows may have the nearest time.
        String theirs = items + (isLeft ? "LEFT " : "") + "JOIN LATERAL " + near + " ON " + within;
        String shown = hasKey ? "" : "SELECT x.i, x.k, x.t, x.u FROM (";
        String columns = hasKey ? "" : ") AS x(i, k, t, j, u, v) ORDER BY 1";
        return new SeriesQuery(with + shown + ours + end + columns, with + shown + theirs + end + columns);
    }

    /// Without a key several rows may have one time: then which of them are beside each other is not shown.
    private static SeriesQuery spliced(Random random) {
        boolean hasKey = random.nextInt(3) > 0;
        String items = hasKey ? "SELECT a.id, a.v, b.id AS other, b.v AS value" : "SELECT a.ts, b.ts AS other";
        String with = with(random) + ", c AS (SELECT * FROM a" + (random.nextInt(3) == 0 ? " WHERE v > 40" : "")
                + ") SELECT * FROM (";
        String end = ") s ORDER BY 1 NULLS FIRST, other NULLS FIRST";
        String moment = hasKey ? "k, ts" : "ts";
        String placed = ", row_number() OVER (PARTITION BY " + moment + " ORDER BY id) AS place FROM ";
        String lefts = "(SELECT *" + placed + "c) a";
        String rights = "(SELECT *" + placed + "b) b";
        String key = hasKey ? "a.k = b.k AND " : "";
        String ours = items + " FROM c a SPLICE JOIN b" + (hasKey ? " ON (k)" : "");
        String theirs = items + " FROM " + lefts + " LEFT JOIN LATERAL (SELECT * FROM " + rights + " WHERE " + key
                + "(a.ts, a.place) >= (b.ts, b.place) ORDER BY b.ts DESC, b.place DESC LIMIT 1) b ON true UNION ALL "
                + items + " FROM " + rights + " LEFT JOIN LATERAL (SELECT * FROM " + lefts + " WHERE " + key
                + "(a.ts, a.place) <= (b.ts, b.place) ORDER BY a.ts DESC, a.place DESC LIMIT 1) a ON true"
                + " WHERE a.place IS NULL OR (a.ts, a.place) <> (b.ts, b.place)";
        return new SeriesQuery(with + ours + end, with + theirs + end);
    }

    private static SeriesQuery window(Random random) {
        boolean isPrevailing = random.nextBoolean();
        boolean hasKey = isPrevailing || random.nextInt(3) > 0;
        int low = random.nextInt(400) - 300;
        int high = low + random.nextInt(300);
        String with = with(random);
        String filter = random.nextInt(3) == 0 ? " WHERE a.v > 40" : "";
        String on = random.nextInt(4) == 0 ? "b.v < 70" : "";
        boolean isGrouped = random.nextInt(4) == 0;
        String items = isGrouped ? "SELECT a.k, count(*), %s FROM a" : "SELECT a.id, a.k, %s FROM a";
        String aggregates = isGrouped
                ? "count(b.id) AS n, max(b.v) AS m"
                : "count(*), sum(b.v), avg(b.v) + count(b.id), max(b.ts), min(b.k)";
        String end = isGrouped ? " GROUP BY a.k ORDER BY a.k" : " ORDER BY a.id";
        String around =
                isGrouped ? "sum(count(b.id)), max(max(b.v) - a.id)" : aggregates.replace("count(*)", "count()");
        String ours = with + items.formatted(around) + " WINDOW JOIN b"
                + (hasKey
                        ? random.nextBoolean() && on.isEmpty()
                                ? " ON (k)"
                                : " ON a.k = b.k" + (on.isEmpty() ? "" : " AND " + on)
                        : on.isEmpty() ? "" : " ON " + on)
                + " RANGE BETWEEN " + edge(low) + " AND " + edge(high)
                + (isPrevailing ? random.nextBoolean() ? "" : " INCLUDE PREVAILING" : " EXCLUDE PREVAILING") + filter
                + end;
        String begin = "a.ts + interval '" + low + " minutes'";
        String within = "b.ts BETWEEN " + begin + " AND a.ts + interval '" + high + " minutes'";
        String candidates = (hasKey ? " AND a.k = b.k" : "") + (on.isEmpty() ? "" : " AND " + on);
        String last = " OR b.id = (SELECT id FROM b c WHERE c.ts <= " + begin + candidates.replace("b.", "c.")
                + " ORDER BY c.ts DESC LIMIT 1)";
        String theirs = with
                + items.formatted(isGrouped ? "sum(w.n), max(w.m - a.id)" : "w.*") + " LEFT JOIN LATERAL (SELECT "
                + aggregates + " FROM b WHERE ("
                + (isPrevailing ? within + last : within) + ")" + candidates + ") w ON true" + filter
                + end;
        return new SeriesQuery(ours, theirs);
    }

    /// The end of a window, so many minutes behind.
    private static String edge(int minutes) {
        return minutes == 0
                ? "CURRENT ROW"
                : Math.abs(minutes) * 60 + " seconds " + (minutes < 0 ? "PRECEDING" : "FOLLOWING");
    }

    private static SeriesQuery latest(Random random) {
        String with = with(random);
        String filter = random.nextBoolean() ? " WHERE v > 30" : "";
        return new SeriesQuery(
                with + "SELECT k, ts, v FROM a" + filter + " LATEST ON ts PARTITION BY k ORDER BY k",
                with + "SELECT k, ts, v FROM (SELECT DISTINCT ON (k) * FROM a" + filter
                        + " ORDER BY k, ts DESC NULLS LAST, id) t ORDER BY k");
    }

    private static SeriesQuery sampled(Random random) {
        String[] units = {"7m", "45m", "1h", "5h", "1d"};
        String[] intervals = {"7 minutes", "45 minutes", "1 hour", "5 hours", "1 day"};
        int step = random.nextInt(units.length);
        boolean hasKey = random.nextBoolean();
        int fill = random.nextInt(4);
        String[] fills = {"NONE", "NULL", "PREV", "7"};
        String with = "WITH a(id, k, ts, v) AS (" + rows(random, 1 + random.nextInt(40), false) + ") ";
        String key = hasKey ? "k, " : "";
        String order = " ORDER BY ts" + (hasKey ? ", k" : "");
        String ours = with + "SELECT ts, " + key + "sum(v), first(v), last(id), count(v) FROM a SAMPLE BY "
                + units[step] + (fill == 0 && random.nextBoolean() ? "" : " FILL(" + fills[fill] + ")") + order;
        String interval = "interval '" + intervals[step] + "'";
        String groups = "g AS (SELECT date_bin(" + interval + ", ts, timestamp '1970-01-01') AS ts, " + key
                + "sum(v) AS s, (array_agg(v ORDER BY ts))[1] AS f, (array_agg(id ORDER BY ts DESC))[1] AS l,"
                + " count(v) AS c FROM a GROUP BY 1" + (hasKey ? ", 2" : "") + ")";
        if (fill == 0) {
            return new SeriesQuery(ours, with.stripTrailing() + ", " + groups + " SELECT * FROM g" + order);
        }
        String all = ", s AS (SELECT * FROM generate_series((SELECT min(ts) FROM g), (SELECT max(ts) FROM g), "
                + interval + ") AS t(ts)" + (hasKey ? ", (SELECT DISTINCT k FROM g) n" : "") + ")";
        String match = hasKey ? "g.k = s.k" : "true";
        String join = fill == 2
                ? " JOIN LATERAL (SELECT * FROM g WHERE " + match
                        + " AND g.ts <= s.ts ORDER BY g.ts DESC LIMIT 1) g ON true"
                : " JOIN g ON g.ts = s.ts AND " + match;
        String items = fill == 3
                ? "CASE WHEN g.ts IS NULL THEN 7 ELSE s END, CASE WHEN g.ts IS NULL THEN 7 ELSE f END,"
                        + " CASE WHEN g.ts IS NULL THEN 7 ELSE l END, CASE WHEN g.ts IS NULL THEN 7 ELSE c END"
                : "g.s, f, l, c";
        items = items.replace("ELSE s ", "ELSE g.s ");
        String theirs = with.stripTrailing() + ", " + groups + all + " SELECT s.ts, " + (hasKey ? "s.k, " : "") + items
                + " FROM s LEFT" + join + " ORDER BY s.ts" + (hasKey ? ", s.k" : "");
        return new SeriesQuery(ours, theirs);
    }

    /// `time_bucket_gapfill` with start and finish as arguments or in WHERE.
    private static SeriesQuery gapfilled(Random random) {
        String[] steps = {"7 minutes", "45 minutes", "1 hour", "5 hours", "1 day"};
        String step = steps[random.nextInt(steps.length)];
        boolean hasKey = random.nextBoolean();
        boolean isInWhere = random.nextBoolean();
        int first = random.nextInt(2_000) - 100;
        String start = "timestamp '2020-02-28 12:00' + interval '" + first + " minutes'";
        String finish = "timestamp '2020-02-28 12:00' + interval '" + (first + 1 + random.nextInt(1_000)) + " minutes'";
        boolean isOpen = random.nextBoolean();
        String range = " WHERE ts " + (isOpen ? "> " : ">= ") + start + " AND ts " + (isOpen ? "<= " : "< ") + finish;
        String where = isInWhere ? range : " WHERE ts IS NOT NULL";
        String having = random.nextInt(4) == 0 ? " HAVING sum(v) > 20" : "";
        String with = "WITH a(id, k, ts, v) AS (" + rows(random, random.nextInt(40), true) + ")";
        String key = hasKey ? "k, " : "";
        String end = " ORDER BY 1" + (hasKey ? ", 2" : "");
        String arguments = isInWhere ? "" : ", " + start + ", " + finish;
        String ours = with + " SELECT time_bucket_gapfill('" + step + "', ts" + arguments + ") AS b, " + key
                + "sum(v), count(*), coalesce(max(v), -1), locf(sum(v)), locf(sum(v), -7), locf(max(v), NULL, true),"
                + " locf(min(v), -8::int, true), interpolate(sum(v)), interpolate(min(v)), interpolate(avg(v)::float8)"
                + " FROM a" + where + " GROUP BY b" + (hasKey ? ", k" : "") + having + end;
        String interval = "interval '" + step + "'";
        String micro = isInWhere && isOpen ? " + interval '1 microsecond'" : "";
        String begin = "date_bin(" + interval + ", " + start + micro + ", timestamp '2000-01-03')";
        String groups = ", g AS (SELECT date_bin(" + interval + ", ts, timestamp '2000-01-03') AS b, "
                + (hasKey ? "k" : "1 AS k") + ", sum(v) AS s, count(*) AS c, max(v) AS x, min(v) AS m,"
                + " avg(v)::float8 AS a FROM a" + where + " GROUP BY 1, 2" + having + "), r AS (SELECT b, k"
                + " FROM generate_series(" + begin + ", " + finish + micro + " - interval '1 microsecond', " + interval
                + ") AS t(b), (" + (hasKey ? "SELECT DISTINCT k FROM g" : "SELECT 1 AS k")
                + ") n UNION SELECT b, k FROM g)";
        String near = "SELECT * FROM g WHERE g.k IS NOT DISTINCT FROM r.k AND g.b ";
        String back = "<= r.b ORDER BY g.b DESC LIMIT 1";
        String isBefore = "r.b >= " + begin + " AND coalesce(%s.b < " + begin + ", true)";
        String theirs = with + groups + " SELECT r.b, " + (hasKey ? "r.k, " : "")
                + "g.s, g.c, coalesce(g.x, -1), p.s, CASE WHEN " + isBefore.formatted("p")
                + " THEN coalesce(p.s, -7) ELSE p.s END, x.x, CASE WHEN " + isBefore.formatted("m")
                + " THEN coalesce(m.m, -8) ELSE m.m END, " + between("s", "numeric", "bigint") + ", "
                + between("m", "numeric", "int") + ", " + between("a", "float8", "float8")
                + " FROM r LEFT JOIN g ON g.b = r.b AND g.k IS NOT DISTINCT FROM r.k LEFT JOIN LATERAL (" + near + back
                + ") p ON true LEFT JOIN LATERAL (" + near + ">= r.b ORDER BY g.b LIMIT 1) n ON true"
                + " LEFT JOIN LATERAL (" + near + back.replace("ORDER", "AND g.x IS NOT NULL ORDER") + ") x ON true"
                + " LEFT JOIN LATERAL (" + near + back.replace("ORDER", "AND g.m IS NOT NULL ORDER") + ") m ON true"
                + end;
        return new SeriesQuery(ours, theirs);
    }

    /// On the line from the group before to the next one.
    private static String between(String value, String inner, String type) {
        String micros = "cast(extract(epoch FROM %s.b - %s.b) * 1000000 AS int8)::" + inner;
        String before = "p." + value + "::" + inner;
        String after = "n." + value + "::" + inner;
        return "CASE WHEN g.b IS NOT NULL THEN g." + value + " WHEN " + before + " = " + after + " THEN p." + value
                + " ELSE ((" + before + " * " + micros.formatted("n", "r") + " + " + after + " * "
                + micros.formatted("r", "p") + ") / " + micros.formatted("n", "p") + ")::" + type + " END";
    }
}
