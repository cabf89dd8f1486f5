package dev.quarrel.export;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportSnapshot;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.SnapshotPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;

/// What an export would read and write, without writing it: tables, columns and their types, and the values that would
/// end it. What it may not read is an error, as of the export itself.
public final class DryRun {
    private static final int MAX_IMPOSSIBLE = 3;

    private DryRun() {}

    /// Lines for people, a table's after its name.
    ///
    /// - Errors: as of [Exporter]; 0A000 for MySQL.
    public static List<String> of(ExportConfig config, Consumer<String> notices, Cancellation cancellation) {
        try (ReaderGroup group = ReaderGroup.open(config, notices, cancellation)) {
            if (!(group instanceof PostgresReaders readers)) {
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED, "a dry run from MySQL or MariaDB is not built yet")
                        .withHint("export one table, and look at it with quarrel inspect");
            }
            group.notices().forEach(notices);
            List<String> lines = new ArrayList<>();
            for (ExportTable table : group.tables()) {
                describe(readers.snapshot(), table, config, lines);
            }
            lines.add(String.format(
                    Locale.ROOT,
                    "nothing was written; snapshot %s of %s, PostgreSQL %s",
                    group.origin().snapshot(),
                    group.origin().source(),
                    group.origin().serverVersion()));
            return lines;
        }
    }

    private static void describe(ExportSnapshot snapshot, ExportTable table, ExportConfig config, List<String> lines) {
        String rows = table.rowEstimate() < 0
                ? "an unknown number of rows"
                : String.format(Locale.ROOT, "about %,d rows", table.rowEstimate());
        long bytes = snapshot.byteSize(table);
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s%s, read in %d parts%s",
                table.qualifiedName(),
                rows,
                bytes < 0 ? "" : String.format(Locale.ROOT, ", %,.1f MB in PostgreSQL", bytes / 1e6),
                table.ranges().size(),
                table.increment() == null
                        ? ""
                        : ", incremental by " + table.increment().column()));
        for (ExportColumn column : table.columns()) {
            boolean isCoded =
                    !config.parquet() && config.dictionaries() && SnapshotPlan.isWorthDictionary(table, column);
            lines.add("  " + column.name() + " " + column.declared().text() + (column.nullable() ? "" : " NOT NULL")
                    + " as " + (config.parquet() ? parquet(column) : arrow(column, isCoded)));
        }
        table.uniqueKeys()
                .forEach(key -> lines.add(
                        "  " + key.kind().text() + " " + key.name() + " (" + String.join(", ", key.columns()) + ")"));
        List<String> problems = table.columns().stream()
                .map(column ->
                        problem(snapshot, table, column, config.parquet() ? finite(config.unfit()) : config.unfit()))
                .filter(Objects::nonNull)
                .limit(MAX_IMPOSSIBLE)
                .toList();
        problems.forEach(problem -> lines.add("  WOULD FAIL: " + problem));
    }

    private static String parquet(ExportColumn column) {
        return switch (column.dataType()) {
            case DataType.Numeric _ -> "string";
            case DataType.Utf8 _ -> "string";
            case DataType.Binary _ -> "bytes";
            default -> column.dataType().toString().toLowerCase(Locale.ROOT);
        };
    }

    private static String arrow(ExportColumn column, boolean isCoded) {
        if (column.nested() != null) {
            return "a list or struct";
        }
        String type =
                switch (column.dataType()) {
                    case DataType.Decimal(int precision, int scale) -> "decimal128(" + precision + "," + scale + ")";
                    case DataType.Numeric _ -> "struct(unscaled, scale)";
                    case DataType.Utf8 _ -> "utf8";
                    default ->
                        column.layout().isHalf()
                                ? "float16"
                                : column.dataType().toString().toLowerCase(Locale.ROOT);
                };
        return isCoded ? "dictionary of " + type : type;
    }

    /// Parquet has no infinite dates to keep them in.
    private static Unfit finite(Unfit unfit) {
        return unfit.infinity() == Unfit.Infinity.KEEP ? new Unfit(unfit.numeric(), Unfit.Infinity.ERROR) : unfit;
    }

    /// What of a column would end the export; null where nothing would.
    private static String problem(ExportSnapshot snapshot, ExportTable table, ExportColumn column, Unfit unfit) {
        String name = column.expression();
        boolean isPlain = column.declared().other() == null && column.outputFunction() == null;
        boolean isRisky = isPlain
                && switch (column.dataType()) {
                    case DataType.Decimal _ -> unfit.numeric() == Unfit.Overflow.ERROR;
                    case DataType.Date _, DataType.Timestamp _ -> unfit.infinity() == Unfit.Infinity.ERROR;
                    default -> false;
                };
        if (!isRisky || table.countStatement() == null) {
            return null;
        }
        String condition = column.dataType() instanceof DataType.Decimal
                ? name + "::pg_catalog.text IN ('NaN', 'Infinity', '-Infinity')"
                : "NOT isfinite(" + name + ")";
        long count = snapshot.count(table.countStatement(condition), new Cancellation());
        String what = column.dataType() instanceof DataType.Decimal ? "NaN or infinite" : "infinite";
        return count == 0
                ? null
                : String.format(Locale.ROOT, "%,d values of %s are %s: ", count, column.name(), what)
                        + (column.dataType() instanceof DataType.Decimal
                                ? "--numeric-overflow null makes them NULL"
                                : "--infinity null makes them NULL, keep the greatest and least value");
    }
}
