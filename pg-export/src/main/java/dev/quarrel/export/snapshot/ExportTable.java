package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.stream.Collectors;

/// One table (or query) to export, as the catalog has it under the snapshot.
///
/// @param schema the schema it has in the dataset
/// @param relation what FROM takes, quoted; null for a query
/// @param query a query's text; null for a table
/// @param rowEstimate the planner's estimate, or -1
/// @param ranges the parts to read it in; they cover every row once
public record ExportTable(
        String schema,
        String name,
        String relation,
        String query,
        List<ExportColumn> columns,
        long rowEstimate,
        List<PageRange> ranges) {
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

    /// The statement that sends the rows of `range`.
    public String copyStatement(PageRange range) {
        boolean isPlainQuery = query != null && columns.stream().allMatch(column -> column.outputFunction() == null);
        String from = query == null ? relation + range.where() : "(" + query + "\n) AS \"query\"";
        String select = isPlainQuery
                ? query
                : "SELECT " + columns.stream().map(ExportColumn::selected).collect(Collectors.joining(", ")) + " FROM "
                        + from;
        return "COPY (" + select + ") TO STDOUT (FORMAT binary)";
    }

    /// An identifier in double quotes.
    public static String quoted(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }
}
