package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// One table (or query) to export, as the catalog has it under the snapshot.
///
/// @param schema the schema it has in the dataset
/// @param rowEstimate the planner's estimate, or -1
/// @param ranges the parts to read it in; they cover every row once
/// @param partition which of the table's folders it is
public record ExportTable(
        String schema,
        String name,
        List<ExportColumn> columns,
        long rowEstimate,
        List<RowRange> ranges,
        Partition partition) {

    /// A part of a table's rows that gets a folder of its own.
    ///
    /// @param keys names and texts of the columns that stand in the folder's name instead of the file; null
    ///   for NULL
    /// @param fields the columns that they are
    public record Partition(Map<String, String> keys, List<Field> fields) {
        static final Partition NONE = new Partition(Map.of(), List.of());
    }

    public ExportTable(
            String schema, String name, List<ExportColumn> columns, long rowEstimate, List<RowRange> ranges) {
        this(schema, name, columns, rowEstimate, ranges, Partition.NONE);
    }

    public ExportTable {
        columns = List.copyOf(columns);
        ranges = List.copyOf(ranges);
    }

    /// `schema.name`, for people.
    public String qualifiedName() {
        return schema + "." + name;
    }

    public Schema fields() {
        return new Schema(columns.stream().map(ExportColumn::field).toList());
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

    /// The statement that sends the rows of `range`.
    public String copyStatement(RowRange range) {
        String where = range.condition().isEmpty() ? "" : " WHERE " + range.condition();
        String select =
                switch (range) {
                    case RowRange.OfRelation relation -> selection() + " FROM " + relation.from() + where;
                    case RowRange.OfQuery query ->
                        where.isEmpty() && columns.stream().allMatch(ExportColumn::isSentAsItIs)
                                ? query.query()
                                : selection() + " FROM " + subquery(query.query()) + where;
                };
        return "COPY (" + select + ") TO STDOUT (FORMAT binary)";
    }

    private String selection() {
        return "SELECT " + columns.stream().map(ExportColumn::selected).collect(Collectors.joining(", "));
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
