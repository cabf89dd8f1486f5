package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.stream.IntStream;

/// The column of a FROM item that says when its rows happened, where a statement names none.
///
/// It is the one that the alias `timestamp(column)` behind the item names; else the first column that the table's rows
/// ascend in, if it is a timestamp or date; else the only timestamp; else the only date.
public final class DesignatedTimestamp {
    private DesignatedTimestamp() {}

    /// A column that may be it.
    public record Candidate(String name, SqlType type) {}

    /// The column's place.
    ///
    /// - Errors: 42702 where several may be it, 42703 where none is.
    ///
    /// @param item the item's name, for messages
    /// @param sortedBy columns that the rows ascend in
    public static int of(String item, List<Candidate> columns, List<Integer> sortedBy) {
        for (int column : sortedBy) {
            if (isTime(columns.get(column).type())) {
                return column;
            }
        }
        int[] timestamps = places(columns, SqlType.TIMESTAMP, SqlType.TIMESTAMPTZ);
        int[] places = timestamps.length > 0 ? timestamps : places(columns, SqlType.DATE, SqlType.DATE);
        if (places.length == 1) {
            return places[0];
        }
        if (places.length == 0) {
            throw new QueryException(SqlState.UNDEFINED_COLUMN, "\"" + item + "\" has no column of type timestamp");
        }
        List<String> names = IntStream.of(places)
                .mapToObj(place -> "\"" + columns.get(place).name() + "\"")
                .toList();
        throw new QueryException(
                        SqlState.AMBIGUOUS_COLUMN,
                        "the designated timestamp of \"" + item + "\" is ambiguous: " + String.join(", ", names))
                .withHint("Name it behind the table: FROM " + item + " timestamp("
                        + columns.get(places[0]).name() + ").");
    }

    /// Whether it may be a designated timestamp.
    public static boolean isTime(SqlType type) {
        return type == SqlType.TIMESTAMP || type == SqlType.TIMESTAMPTZ || type == SqlType.DATE;
    }

    private static int[] places(List<Candidate> columns, SqlType one, SqlType other) {
        return IntStream.range(0, columns.size())
                .filter(place ->
                        columns.get(place).type() == one || columns.get(place).type() == other)
                .toArray();
    }
}
