package dev.quarrel.core.cpu.function;

import dev.quarrel.core.json.JsonOutcome;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.json.search.PathClock;
import dev.quarrel.core.json.search.PathSearch;
import dev.quarrel.core.json.search.PathVariables;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgZone;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/// The rows of JSON_TABLE: each as the texts of its columns, of which the planner makes values.
///
/// - Source: PostgreSQL's `jsonpath_exec.c` (JsonTablePlanNextRow and its neighbours).
final class JsonTableKernels {
    private JsonTableKernels() {}

    static void registerRows(Map<String, RowsFunction> kernels) {
        kernels.put("json_table", arguments -> {
            ZoneId zone = ZoneId.of((String) arguments[3]);
            Run run = new Run(
                    JsonQueryKernels.variables(JsonValue.read((String) arguments[2])),
                    new PathClock(zone, PgZone.of(zone), true));
            Scan scan = run.read(JsonValue.read((String) arguments[1]));
            return run.rows(scan, JsonValue.read((String) arguments[0]));
        });
    }

    /// What a path finds in each row of the level above.
    ///
    /// @param columns of the row, by their places in it
    private record Scan(PathSearch path, boolean raisesErrors, List<Column> columns, int first, List<Scan> below) {}

    /// @param search null for the row's number
    private record Column(JsonQueryKernels.Search search, PathSearch path, JsonOutcome outcome) {}

    /// The rows of one document.
    private static final class Run {
        private final PathVariables variables;
        private final PathClock clock;
        private final List<Scan> levels = new ArrayList<>(); // those at work, from the outermost one
        private final List<JsonValue> items = new ArrayList<>(); // and the item of each
        private final List<Integer> numbers = new ArrayList<>();
        private final List<String> rows = new ArrayList<>();
        private int width;

        Run(PathVariables variables, PathClock clock) {
            this.variables = variables;
            this.clock = clock;
        }

        /// The plan's form: `[path, raises errors, [column, …], [plan, …]]`, a column being `[search, path, outcome]`.
        Scan read(JsonValue plan) {
            List<JsonValue> parts = items(plan);
            int first = width;
            List<Column> columns = new ArrayList<>();
            for (JsonValue column : items(parts.get(2))) {
                columns.add(column(items(column)));
            }
            width += columns.size();
            List<Scan> below = new ArrayList<>();
            items(parts.get(3)).forEach(each -> below.add(read(each)));
            boolean raisesErrors = ((JsonValue.Bool) parts.get(1)).value();
            return new Scan(path(parts.get(0)), raisesErrors, columns, first, below);
        }

        private static Column column(List<JsonValue> parts) {
            return parts.isEmpty()
                    ? new Column(null, null, null)
                    : new Column(
                            JsonQueryKernels.search(text(parts.get(0))),
                            path(parts.get(1)),
                            JsonOutcome.of(text(parts.get(2))));
        }

        private static PathSearch path(JsonValue text) {
            return new PathSearch(JsonPathExpression.parse(text(text)));
        }

        private static List<JsonValue> items(JsonValue value) {
            return ((JsonValue.Elements) value).items();
        }

        private static String text(JsonValue value) {
            return ((JsonValue.Text) value).value();
        }

        /// All rows: an error in the last one is one of the statement, however few are read.
        Iterator<?> rows(Scan scan, JsonValue document) {
            scan(scan, found(scan, document));
            return rows.iterator();
        }

        private List<JsonValue> found(Scan scan, JsonValue item) {
            List<JsonValue> found = scan.raisesErrors()
                    ? scan.path().find(item, variables, clock, false)
                    : scan.path().findOrNull(item, variables, clock);
            return found == null ? List.of() : found;
        }

        private void scan(Scan scan, List<JsonValue> found) {
            int number = 0;
            for (JsonValue item : found) {
                levels.add(scan);
                items.add(item);
                numbers.add(++number);
                List<List<JsonValue>> below =
                        scan.below().stream().map(each -> found(each, item)).toList();
                for (int index = 0; index < below.size(); index++) {
                    scan(scan.below().get(index), below.get(index));
                }
                if (below.stream().allMatch(List::isEmpty)) {
                    addRow();
                }
                levels.removeLast();
                items.removeLast();
                numbers.removeLast();
            }
        }

        private void addRow() {
            String[] cells = new String[width];
            for (int level = 0; level < levels.size(); level++) {
                Scan scan = levels.get(level);
                for (int index = 0; index < scan.columns().size(); index++) {
                    cells[scan.first() + index] = cell(scan.columns().get(index), items.get(level), numbers.get(level));
                }
            }
            rows.add(ArrayText.format(Arrays.asList(cells)));
        }

        private String cell(Column column, JsonValue item, int number) {
            if (column.search() == null) {
                return Integer.toString(number);
            }
            return switch (column.search()
                    .run(column.path(), new JsonQueryKernels.Asked(item, variables, clock), column.outcome())) {
                case null -> null;
                case Boolean bool ->
                    switch (column.outcome().type()) {
                        case "int4" -> bool ? "1" : "0";
                        default -> bool.toString();
                    };
                case Object text -> (String) text;
            };
        }
    }
}
