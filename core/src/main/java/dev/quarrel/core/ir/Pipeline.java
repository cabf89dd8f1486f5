package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/// Work that runs over tiles without materialising rows: source, program, [join, program]…, sink.
///
/// @param id its place in the plan
/// @param programs one more than `joins`: program i + 1 follows join i
/// @param filters rows of the source that need not be looked at
public record Pipeline(
        int id, Source source, List<Program> programs, List<Join> joins, Sink sink, List<RuntimeFilter> filters) {
    public Pipeline {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(sink, "sink");
        programs = List.copyOf(programs);
        joins = List.copyOf(joins);
        filters = List.copyOf(filters);
        if (programs.size() != joins.size() + 1) {
            throw new IllegalArgumentException(programs.size() + " programs around " + joins.size() + " joins");
        }
    }

    /// A pipeline that looks at all rows.
    public Pipeline(int id, Source source, List<Program> programs, List<Join> joins, Sink sink) {
        this(id, source, programs, joins, sink, List.of());
    }

    /// The same with these filters alone.
    public Pipeline withFilters(List<RuntimeFilter> newFilters) {
        return new Pipeline(id, source, programs, joins, sink, newFilters);
    }

    public Program lastProgram() {
        return programs.getLast();
    }

    /// The source's column that an output of a program is, handed on as it came by all programs and joins up to there;
    /// -1 if it is computed, or comes from a build side.
    public int sourceColumn(int program, int output) {
        int input = programs.get(program).inputOf(output);
        for (int before = program - 1; before >= 0 && input >= 0; before--) {
            List<Integer> carried = joins.get(before).carried();
            input = input < carried.size() ? programs.get(before).inputOf(carried.get(input)) : -1;
        }
        return input;
    }

    /// Types of the rows the sink makes: those of a result, of the groups, or of the sorted rows. A HashBuild's
    /// are its keys, then its payload.
    public List<DataType> rowTypes() {
        List<DataType> outputs = lastProgram().outputTypes();
        return switch (sink) {
            case Sink.Result _, Sink.Sort _, Sink.Last _, Sink.Collect _, Sink.Feed _ -> outputs;
            case Sink.Window window -> {
                List<DataType> types = new ArrayList<>(outputs);
                window.calls().forEach(call -> types.add(call.resultType(outputs)));
                yield types;
            }
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean _) -> {
                List<DataType> types = new ArrayList<>(pick(outputs, keys));
                types.addAll(pick(outputs, payload));
                yield types;
            }
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                List<DataType> types = new ArrayList<>(pick(outputs, keys));
                for (AggregateCall call : calls) {
                    DataType argument = call.argument() < 0 ? null : outputs.get(call.argument());
                    types.add(call.resultType(argument));
                }
                if (!sets.isEmpty()) {
                    types.addAll(Collections.nCopies(sets.getFirst().numbers().size(), DataType.INT32));
                }
                yield types;
            }
        };
    }

    private static List<DataType> pick(List<DataType> types, List<Integer> indexes) {
        return indexes.stream().map(types::get).toList();
    }

    /// Ids of the pipelines that must have ended before this one starts. Those of its filters are not among them, and
    /// those that feed it come beside ([QueryPlan#inputs]).
    public List<Integer> inputs() {
        List<Integer> ids = new ArrayList<>();
        if (source instanceof Source.Rows(int pipeline, List<DataType> _)) {
            ids.add(pipeline);
        }
        for (Join join : joins) {
            ids.add(join.build());
        }
        return ids;
    }
}
