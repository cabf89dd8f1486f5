package dev.quarrel.export.snapshot;

import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One table (or query) to export, as the catalog has it under the snapshot.
///
/// @param schema the schema it has in the dataset
/// @param rowEstimate the planner's estimate, or -1
/// @param ranges the parts to read it in; they cover every row once
/// @param keys by what its rows are divided into folders
/// @param uniqueKeys that hold in the exported rows
/// @param whole what FROM takes for all its rows, with their condition; null where they are not counted
/// @param increment how it is read when an earlier run has read it; null for all of it
public record ExportTable(
        String schema,
        String name,
        List<ExportColumn> columns,
        long rowEstimate,
        List<RowRange> ranges,
        Keys keys,
        List<UniqueKey> uniqueKeys,
        String whole,
        Increment increment) {

    /// What the folders are named by, which stand in their names instead of the files.
    ///
    /// @param expressions of SQL, whose texts tell the folders apart
    /// @param fields the columns that they become, one an expression
    public record Keys(List<String> expressions, List<Field> fields) {
        static final Keys NONE = new Keys(List.of(), List.of());

        public Keys {
            expressions = List.copyOf(expressions);
            fields = List.copyOf(fields);
        }
    }

    public ExportTable(
            String schema, String name, List<ExportColumn> columns, long rowEstimate, List<RowRange> ranges) {
        this(schema, name, columns, rowEstimate, ranges, Keys.NONE, List.of(), null, null);
    }

    public ExportTable {
        columns = List.copyOf(columns);
        ranges = List.copyOf(ranges);
        uniqueKeys = List.copyOf(uniqueKeys);
    }

    public ExportTable withUniqueKeys(List<UniqueKey> newKeys) {
        return new ExportTable(schema, name, columns, rowEstimate, ranges, keys, newKeys, whole, increment);
    }

    ExportTable withWhole(String newWhole) {
        return new ExportTable(schema, name, columns, rowEstimate, ranges, keys, uniqueKeys, newWhole, increment);
    }

    ExportTable withIncrement(Increment newIncrement) {
        return new ExportTable(schema, name, columns, rowEstimate, ranges, keys, uniqueKeys, whole, newIncrement);
    }

    /// The rows of other ranges.
    ///
    /// @param estimate how many they are, or -1
    public ExportTable withRanges(List<RowRange> newRanges, long estimate) {
        return new ExportTable(schema, name, columns, estimate, newRanges, keys, uniqueKeys, whole, increment);
    }

    /// The same rows of some columns alone, in no folders.
    public ExportTable withColumns(List<String> names) {
        List<ExportColumn> some = names.stream()
                .map(wanted -> columns.stream()
                        .filter(column -> column.name().equals(wanted))
                        .findFirst()
                        .orElseThrow())
                .toList();
        return new ExportTable(schema, name, some, rowEstimate, ranges, Keys.NONE, List.of(), whole, increment);
    }

    /// The statement that counts its rows; null where they are not counted.
    public String countStatement() {
        return whole == null ? null : "SELECT pg_catalog.count(*) FROM " + whole;
    }

    /// `schema.name`, for people.
    public String qualifiedName() {
        return schema + "." + name;
    }

    public Schema fields() {
        return new Schema(columns.stream().map(ExportColumn::field).toList());
    }

    /// Whether its rows are divided into folders.
    public boolean isPartitioned() {
        return !keys.fields().isEmpty();
    }

    /// How much there is to read, in pages; [RowRange#UNKNOWN] where nobody knows.
    public long weight() {
        long weight = 0;
        for (RowRange range : ranges) {
            if (range.weight() == RowRange.UNKNOWN) {
                return RowRange.UNKNOWN;
            }
            weight += range.weight();
        }
        return weight;
    }

    /// The statement that sends the rows of `range`: the keys' texts, then the columns.
    public String copyStatement(RowRange range) {
        String where = range.condition().isEmpty() ? "" : " WHERE " + range.condition();
        String select =
                switch (range) {
                    case RowRange.OfRelation relation -> selection() + " FROM " + relation.from() + where;
                    case RowRange.OfQuery query ->
                        where.isEmpty() && !isPartitioned() && columns.stream().allMatch(ExportColumn::isSentAsItIs)
                                ? query.query()
                                : selection() + " FROM " + subquery(query.query()) + where;
                };
        return "COPY (" + select + "\n) TO STDOUT (FORMAT binary)"; // a query may end in a comment
    }

    /// The statement that counts those of its rows that meet a condition.
    public String countStatement(String condition) {
        return "SELECT pg_catalog.count(*) FROM (SELECT * FROM " + whole + ") AS \"rows\" WHERE " + condition;
    }

    /// What FROM takes of a range, with its condition.
    String from(RowRange range) {
        String from =
                switch (range) {
                    case RowRange.OfRelation relation -> relation.from();
                    case RowRange.OfQuery query -> subquery(query.query());
                };
        return from + (range.condition().isEmpty() ? "" : " WHERE " + range.condition());
    }

    private String selection() {
        return Stream.concat(
                        keys.expressions().stream().map(ExportTable::text),
                        columns.stream().map(ExportColumn::selected))
                .collect(Collectors.joining(", ", "SELECT ", ""));
    }

    /// What makes a key's text.
    static String text(String expression) {
        return "(" + expression + ")::pg_catalog.text";
    }

    /// What FROM takes of a query. Its last line may end in a comment.
    static String subquery(String query) {
        return "(" + query + "\n) AS \"query\"";
    }

    /// An identifier in double quotes.
    public static String quoted(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }
}
