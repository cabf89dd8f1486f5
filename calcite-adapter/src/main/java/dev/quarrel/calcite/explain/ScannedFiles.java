package dev.quarrel.calcite.explain;

import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Writes EXPLAIN's lines of the files that a scan reads, and of those that it skips, with the condition that none of
/// their rows fits. What a statement's parameters and its joins skip shows only when it runs.
final class ScannedFiles {
    private static final int FEW = 4;
    private static final int MANY = 100;

    private final Source.TableScan scan;
    private final List<Slot> slots;
    private final Table table;

    ScannedFiles(Source.TableScan scan, List<Slot> slots, Table table) {
        this.scan = scan;
        this.slots = slots;
        this.table = table;
    }

    /// What is said of them, in order; nothing for a table of the dataset's own that is read whole.
    ///
    /// @param verbose names more of the files
    /// @param hasBytes whether it says how large they are
    List<PlanProperty> properties(boolean verbose, boolean hasBytes) {
        List<Integer> read = new ArrayList<>();
        Map<String, List<Integer>> skipped = new LinkedHashMap<>();
        int batch = 0;
        for (int file = 0; file < table.fileCount(); file++) {
            String reason = null;
            boolean isRead = false;
            for (; batch < table.batchCount() && table.fileOf(batch) == file; batch++) {
                String excluding = excluding(batch);
                isRead |= excluding == null;
                reason = reason == null ? excluding : reason;
            }
            if (isRead) {
                read.add(file);
            } else {
                skipped.computeIfAbsent(reason == null ? "it has no rows" : reason, _ -> new ArrayList<>())
                        .add(file);
            }
        }
        List<PlanProperty> lines = new ArrayList<>();
        if (table.fileCount() == 0 || table.foreign() == null && skipped.isEmpty()) {
            return lines;
        }
        lines.add(PlanProperty.of(
                "Files",
                read.size() + " of " + table.fileCount() + (hasBytes ? ", " + size(read) : "")
                        + names(read, verbose || table.foreign() != null, verbose ? MANY : FEW)));
        skipped.forEach((reason, files) -> lines.add(PlanProperty.item(
                "Files Skipped",
                files.size() + (hasBytes ? ", " + size(files) : "") + ", by " + reason + names(files, verbose, MANY))));
        return lines;
    }

    private String names(List<Integer> files, boolean isNamed, int most) {
        if (!isNamed || files.isEmpty()) {
            return "";
        }
        return files.stream()
                .limit(most)
                .map(table::fileName)
                .collect(Collectors.joining(", ", ": ", files.size() > most ? ", …" : ""));
    }

    private String size(List<Integer> files) {
        long bytes = files.stream().mapToLong(table::fileBytes).sum();
        return bytes < 10_000
                ? bytes + " bytes"
                : bytes < 10_000_000
                        ? String.format(Locale.ROOT, "%d kB", bytes / 1_000)
                        : String.format(Locale.ROOT, "%d MB", bytes / 1_000_000);
    }

    /// The condition that no row of a batch fits, or null.
    private String excluding(int batch) {
        for (ColumnRange range : scan.ranges()) {
            String name = scan.columnNames().get(range.column());
            ColumnStats stats = table.batchStats(batch, table.schema().indexOf(name));
            int rows = table.batchRows(batch);
            if (rows > 0 && stats.excludes(value(range.low()), value(range.high()), rows)) {
                return text(name, range);
            }
        }
        return null;
    }

    private Object value(int slot) {
        return slot >= 0 && slots.get(slot) instanceof Slot.Constant(var literal) ? literal.value() : null;
    }

    private String text(String name, ColumnRange range) {
        String low = range.low() < 0 ? null : PlanExpressions.constant(slots.get(range.low()));
        String high = range.high() < 0 ? null : PlanExpressions.constant(slots.get(range.high()));
        if (low == null) {
            return name + " <= " + high;
        }
        return high == null
                ? name + " >= " + low
                : low.equals(high) ? name + " = " + low : name + " between " + low + " and " + high;
    }
}
