package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.stream.Collectors;

/// The text form of plans and programs, for EXPLAIN (VERBOSE) and for tests that compare text.
///
/// One line an instruction: `r3 mask = mask_true(r2) under r0`. Registers carry their type where they are written.
public final class IrText {
    private IrText() {}

    public static String of(QueryPlan plan) {
        StringBuilder text = new StringBuilder();
        for (int slot = 0; slot < plan.slots().size(); slot++) {
            text.append("slot ")
                    .append(slot)
                    .append(' ')
                    .append(of(plan.slots().get(slot)))
                    .append('\n');
        }
        plan.pipelines().forEach(pipeline -> text.append(of(pipeline)));
        return text.toString();
    }

    public static String of(Slot slot) {
        return switch (slot) {
            case Slot.Constant(Literal literal) -> literal.type() + " = " + of(literal);
            case Slot.Parameter(int number, DataType type) -> type + " = $" + number;
        };
    }

    private static String of(Literal literal) {
        if (literal.isNull()) {
            return "NULL";
        }
        return literal.value() instanceof String text
                ? "'" + text.replace("'", "''") + "'"
                : literal.value().toString();
    }

    public static String of(Pipeline pipeline) {
        StringBuilder text = new StringBuilder();
        text.append("pipeline ").append(pipeline.id()).append('\n');
        text.append("  source ").append(of(pipeline.source())).append('\n');
        for (RuntimeFilter filter : pipeline.filters()) {
            text.append("  filter column ").append(filter.column());
            text.append(" in column ").append(filter.buildColumn());
            text.append(" of pipeline ").append(filter.build()).append('\n');
        }
        for (int index = 0; index < pipeline.programs().size(); index++) {
            if (index > 0) {
                text.append(of(pipeline.joins().get(index - 1)).indent(2));
            }
            text.append(of(pipeline.programs().get(index)).indent(2));
        }
        text.append("  sink ").append(of(pipeline.sink())).append('\n');
        return text.toString();
    }

    public static String of(Source source) {
        return switch (source) {
            case Source.TableScan scan -> {
                StringBuilder text = new StringBuilder("scan " + scan.schemaName() + "." + scan.tableName() + " (");
                for (int column = 0; column < scan.columnNames().size(); column++) {
                    text.append(column == 0 ? "" : ", ")
                            .append(scan.columnNames().get(column));
                    text.append(' ').append(scan.types().get(column));
                }
                text.append(')');
                for (ColumnRange range : scan.ranges()) {
                    text.append(" range ").append(scan.columnNames().get(range.column()));
                    text.append(range.low() < 0 ? "" : " >= slot " + range.low());
                    text.append(range.high() < 0 ? "" : " <= slot " + range.high());
                }
                yield text.toString();
            }
            case Source.Rows(int pipeline, List<DataType> types) -> "rows of pipeline " + pipeline + " " + types;
            case Source.Union(List<Integer> pipelines, List<DataType> types) ->
                "union of pipelines " + pipelines + " " + types;
            case Source.Values(int rowCount, List<DataType> types, List<Integer> slots) ->
                "values " + rowCount + " rows " + types + " slots " + slots;
        };
    }

    public static String of(Join join) {
        String text = "join " + join.kind().name().toLowerCase(java.util.Locale.ROOT) + " pipeline " + join.build()
                + " keys " + join.keys() + " carried " + join.carried() + " payload " + join.payload();
        if (join.nearest() != null) {
            text += " nearest " + join.nearest().probe() + " "
                    + join.nearest().relation().symbol() + " payload "
                    + join.nearest().payload();
        }
        if (join.range() != null) {
            Join.Range range = join.range();
            text += (range.prevailing() ? "\n  prevailing range payload " : "\n  range payload ") + range.payload()
                    + of(range.lower())
                    + of(range.upper())
                    + " carried " + range.carried() + "\n"
                    + of(range.program()).indent(2).stripTrailing();
        }
        if (join.residual() == null) {
            return text;
        }
        Join.Residual residual = join.residual();
        return text + "\n  residual carried " + residual.carried() + " payload " + residual.payload() + "\n"
                + of(residual.program()).indent(2).stripTrailing();
    }

    private static String of(Join.Range.Bound bound) {
        if (bound == null) {
            return "";
        }
        return (bound.shift() == 0 ? " " : " + " + bound.shift() + " ")
                + bound.relation().symbol();
    }

    public static String of(Program program) {
        StringBuilder text = new StringBuilder();
        for (Instruction instruction : program.code()) {
            text.append('r').append(instruction.result()).append(' ');
            text.append(program.registers().get(instruction.result())).append(" = ");
            text.append(operation(instruction)).append('\n');
        }
        text.append("select r").append(program.selection()).append(" output ");
        text.append(registers(program.outputs())).append('\n');
        return text.toString();
    }

    public static String of(Instruction instruction) {
        return "r" + instruction.result() + " = " + operation(instruction);
    }

    private static String operation(Instruction instruction) {
        String immediate =
                switch (instruction.op()) {
                    case LOAD -> " input " + instruction.immediate();
                    case CONST -> " slot " + instruction.immediate();
                    case EXTRACT_DATE, EXTRACT_TIMESTAMP, TRUNC_TIMESTAMP ->
                        " " + DateField.of(instruction.immediate()).name().toLowerCase(java.util.Locale.ROOT);
                    default -> "";
                };
        String name = instruction.callee() == null
                ? instruction.op().name().toLowerCase(java.util.Locale.ROOT)
                : "call " + instruction.callee();
        return name + immediate + registers(instruction.arguments()) + " under r" + instruction.mask();
    }

    private static String registers(List<Integer> registers) {
        return registers.stream().map(register -> "r" + register).collect(Collectors.joining(", ", "(", ")"));
    }

    public static String of(Sink sink) {
        return switch (sink) {
            case Sink.Result(List<String> names, Sink.Bound offset, Sink.Bound limit) ->
                "result " + names + bounds(offset, limit);
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean nullKeys) ->
                "hash build keys " + keys + " payload " + payload + (nullKeys ? " null keys" : "");
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) ->
                "aggregate keys " + keys + " calls "
                        + calls.stream().map(IrText::of).collect(Collectors.joining(", ", "[", "]"))
                        + sets.stream()
                                .map(set -> " set " + set.keys() + " numbers " + set.numbers())
                                .collect(Collectors.joining());
            case Sink.Sort(List<SortKey> keys, Sink.Bound offset, Sink.Bound limit) ->
                "sort "
                        + keys.stream().map(IrText::of).collect(Collectors.joining(", ", "[", "]"))
                        + bounds(offset, limit);
            case Sink.Collect _ -> "collect";
            case Sink.Feed _ -> "feed";
            case Sink.Last(Sink.Bound rows) -> "last" + bounds(Sink.Bound.ZERO, rows);
            case Sink.Window window ->
                "window partition " + window.partition() + " order "
                        + window.order().stream().map(IrText::of).collect(Collectors.joining(", ", "[", "]"))
                        + " calls "
                        + window.calls().stream().map(IrText::of).collect(Collectors.joining(", ", "[", "]"))
                        + (window.first().isAll()
                                ? ""
                                : " first " + window.first().rows()
                                        + switch (window.first().ties()) {
                                            case CUT -> "";
                                            case KEPT -> " with peers";
                                            case COUNTED_ONCE -> " keys";
                                        });
        };
    }

    private static String of(SortKey key) {
        return key.output()
                + (key.descending() ? " desc" : " asc")
                + (key.nullsFirst() ? " nulls first" : " nulls last");
    }

    private static String of(WindowCall call) {
        return switch (call) {
            case WindowCall.Position(WindowCall.PositionKind kind) -> lower(kind);
            case WindowCall.Ntile(int buckets) -> "ntile(" + buckets + ")";
            case WindowCall.Shift(int argument, int distance, int fallback, boolean forward) ->
                (forward ? "lead(" : "lag(") + argument + (distance < 0 ? "" : ", distance " + distance)
                        + (fallback < 0 ? "" : ", default " + fallback) + ")";
            case WindowCall.Pick(WindowCall.PickKind kind, int argument, int place, WindowFrame frame) ->
                lower(kind) + "(" + argument + (place < 0 ? "" : ", " + place) + ") " + of(frame);
            case WindowCall.Aggregate(AggregateCall aggregate, WindowFrame frame) -> of(aggregate) + " " + of(frame);
        };
    }

    private static String of(WindowFrame frame) {
        return "over " + lower(frame.mode()) + " " + of(frame.start()) + " to " + of(frame.end())
                + (frame.exclusion() == WindowFrame.Exclusion.NO_OTHERS ? "" : " exclude " + lower(frame.exclusion()));
    }

    private static String of(WindowFrame.Edge edge) {
        return lower(edge.kind())
                + (edge.offset() < 0 ? "" : " " + edge.offset())
                + (edge.value() < 0 ? "" : " value " + edge.value());
    }

    private static String lower(Enum<?> name) {
        return name.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }

    private static String of(AggregateCall call) {
        return (call.local() == null
                        ? call.kind().name().toLowerCase(java.util.Locale.ROOT)
                        : call.local().name())
                + call.arguments().stream()
                        .map(String::valueOf)
                        .collect(Collectors.collectingAndThen(
                                Collectors.joining(", "), all -> all.isEmpty() ? "" : "(" + all + ")"))
                + (call.order().isEmpty()
                        ? ""
                        : call.order().stream().map(IrText::of).collect(Collectors.joining(", ", " order [", "]")))
                + (call.filter() < 0 ? "" : " filter " + call.filter());
    }

    private static String bounds(Sink.Bound offset, Sink.Bound limit) {
        String text = offset.equals(Sink.Bound.ZERO) ? "" : " offset " + of(offset);
        return limit.equals(Sink.Bound.NONE) ? text : text + " limit " + of(limit);
    }

    private static String of(Sink.Bound bound) {
        return bound.slot() >= 0 ? "slot " + bound.slot() : Long.toString(bound.rows());
    }
}
