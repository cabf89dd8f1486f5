package dev.quarrel.export.snapshot;

import dev.quarrel.core.arrow.dataset.Watermark;
import dev.quarrel.core.table.UniqueKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// How a table is read that an earlier run has read before: the rows that have changed since.
///
/// @param column that rises with each change, as SQL selects it; `xmin` is PostgreSQL's own
/// @param type of the column; null for `xmin`
/// @param hasNulls whether it may be NULL: such rows are read each time
/// @param key what tells rows apart
/// @param isDeclared whether the database sees to the key
/// @param now up to where this run reads; null where nobody can say, so that the next run reads everything
/// @param doubt why the next run may miss rows all the same; null where it does not
/// @param scanned the whole table in ranges that are scanned
/// @param looked the same in ranges for an index to be looked into; empty where there is none
public record Increment(
        String column,
        String type,
        boolean hasNulls,
        UniqueKey key,
        boolean isDeclared,
        Watermark now,
        String doubt,
        List<RowRange> scanned,
        List<RowRange> looked) {
    /// PostgreSQL's number of the transaction that wrote a row.
    public static final String XMIN = "xmin";

    // Numbers of transactions go round: those of so many are told apart. A million less, for those of this moment.
    private static final long MAX_AGE = (1L << 31) - 1_000_000;
    private static final long XID_MASK = 0xFFFFFFFFL;

    public Increment {
        scanned = List.copyOf(scanned);
        looked = List.copyOf(looked);
    }

    /// Why the rows since an earlier run cannot be told; null where they can.
    ///
    /// @param last up to where that run has read; null if it did not say
    public String obstacle(Watermark last) {
        if (last == null) {
            return "the dataset does not say up to where it was read";
        }
        if (!last.column().equals(column)) {
            return "the last run went by column " + last.column();
        }
        for (Map.Entry<String, String> setting : settings().entrySet()) {
            if (!setting.getValue().equals(last.settings().get(setting.getKey()))) {
                return "its " + setting.getKey() + " is not what it was";
            }
        }
        long before = oldest(last.snapshot());
        long current = oldest(snapshot());
        if (current < before || newest(snapshot()) < newest(last.snapshot())) {
            return "the server is in an earlier state than at the last run";
        }
        if (isXmin() && newest(snapshot()) - before > MAX_AGE) {
            return "too many transactions have passed since the last run";
        }
        return last.value().isEmpty() ? "the last run could not say up to where it had read" : null;
    }

    private Map<String, String> settings() {
        return now.settings();
    }

    private String snapshot() {
        return now.snapshot();
    }

    private boolean isXmin() {
        return column.equals(XMIN);
    }

    /// The transaction below which all others had ended.
    private static long oldest(String snapshot) {
        return Long.parseLong(snapshot.substring(0, snapshot.indexOf(':')));
    }

    private static long newest(String snapshot) {
        int from = snapshot.indexOf(':') + 1;
        return Long.parseLong(snapshot.substring(from, snapshot.indexOf(':', from)));
    }

    /// Whether every row is looked at, in order to find those that have changed.
    public boolean isScanned() {
        return looked.isEmpty() && now.settings().get(Increments.CONDITION).isEmpty();
    }

    /// The parts to read: rows that are new or changed since an earlier run, and all of partitions that are new.
    public List<RowRange> since(Watermark last) {
        String condition;
        if (isXmin()) {
            // The snapshot lists no subtransactions: what the oldest open one came after is read, which is enough.
            condition = "pg_catalog.age(xmin) <= (SELECT pg_catalog.age('" + (oldest(last.snapshot()) & XID_MASK)
                    + "'::pg_catalog.xid))";
        } else {
            condition = column + " >= '" + last.value().replace("'", "''") + "'::" + type;
            if (hasNulls) {
                condition += " OR " + column + " IS NULL";
            }
        }
        List<Long> added = new ArrayList<>(now.relations());
        added.removeAll(last.relations());
        if (!added.isEmpty()) {
            condition += " OR tableoid = ANY ('{"
                    + String.join(",", added.stream().map(Objects::toString).toList()) + "}'::pg_catalog.oid[])";
        }
        List<RowRange> ranges = new ArrayList<>();
        for (RowRange range : looked.isEmpty() || !added.isEmpty() ? scanned : looked) {
            RowRange.OfRelation whole = (RowRange.OfRelation) range;
            ranges.add(new RowRange.OfRelation(
                    ranges.size(),
                    whole.from(),
                    TableTree.both(whole.condition(), "(" + condition + ")"),
                    whole.weight()));
        }
        return ranges;
    }
}
