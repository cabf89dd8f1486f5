package dev.quarrel.core.cpu;

import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/// Writes plans by hand.
public final class PlanBuilder {
    private final List<Slot> slots = new ArrayList<>();
    private final List<Pipeline> pipelines = new ArrayList<>();

    /// The slot of a constant.
    public int constant(DataType type, Object value) {
        slots.add(new Slot.Constant(new Literal(type, value)));
        return slots.size() - 1;
    }

    public List<Slot> slots() {
        return slots;
    }

    public Chain scan(Table table, ColumnRange... ranges) {
        List<String> names = table.schema().fields().stream().map(Field::name).toList();
        List<DataType> types = table.schema().fields().stream().map(Field::type).toList();
        return new Chain(new Source.TableScan("public", table.name(), names, types, List.of(ranges)));
    }

    public Chain rows(int pipeline) {
        return new Chain(new Source.Rows(pipeline, pipelines.get(pipeline).rowTypes()));
    }

    /// Rows of pipelines that feed it.
    public Chain union(int... feeding) {
        return new Chain(new Source.Union(
                IntStream.of(feeding).boxed().toList(),
                pipelines.get(feeding[0]).rowTypes()));
    }

    public Chain values(int rowCount, List<DataType> types, List<Integer> valueSlots) {
        return new Chain(new Source.Values(rowCount, types, valueSlots));
    }

    public QueryPlan plan() {
        return new QueryPlan(slots, pipelines);
    }

    public static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    /// One pipeline, step by step.
    public final class Chain {
        private final Source source;
        private final List<Program> programs = new ArrayList<>();
        private final List<Join> joins = new ArrayList<>();
        private List<DataType> types;

        Chain(Source source) {
            this.source = source;
            this.types = source.types();
        }

        /// Hands all inputs on.
        public Chain all() {
            return program(builder -> new Out(
                    ProgramBuilder.ALL_ROWS,
                    IntStream.range(0, types.size())
                            .mapToObj(input -> builder.load(input, ProgramBuilder.ALL_ROWS))
                            .toList()));
        }

        public Chain program(Function<ProgramBuilder, Out> body) {
            ProgramBuilder builder = new ProgramBuilder(types);
            Out out = body.apply(builder);
            Program program = builder.build(out.selection(), out.outputs(), slots);
            programs.add(program);
            types = program.outputTypes();
            return this;
        }

        /// Carries all outputs and takes all payload, as far as the kind has them.
        public Chain join(JoinKind kind, int build, List<Integer> keys) {
            return join(kind, build, keys, null);
        }

        /// @param condition over all outputs, then all payload: the register of a bool; null for none
        public Chain join(JoinKind kind, int build, List<Integer> keys, ToIntFunction<ProgramBuilder> condition) {
            Pipeline maker = pipelines.get(build);
            int keyCount = ((Sink.HashBuild) maker.sink()).keys().size();
            List<DataType> built = maker.rowTypes();
            List<Integer> allPayload = range(0, built.size() - keyCount);
            List<Integer> payload = kind.hasPayload() ? allPayload : List.of();
            List<Integer> carried = kind.hasCarried() ? range(0, types.size()) : List.of();
            Join.Residual residual = null;
            if (condition != null) {
                List<DataType> pair = new ArrayList<>(types);
                allPayload.forEach(column -> pair.add(built.get(keyCount + column)));
                ProgramBuilder builder = new ProgramBuilder(pair);
                int truth = condition.applyAsInt(builder);
                residual = new Join.Residual(
                        range(0, types.size()),
                        allPayload,
                        kind == JoinKind.MARK
                                ? builder.build(ProgramBuilder.ALL_ROWS, List.of(truth), slots)
                                : builder.build(
                                        builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, truth),
                                        List.of(),
                                        slots));
            }
            joins.add(new Join(kind, build, keys, carried, payload, residual));
            List<DataType> joined = new ArrayList<>(kind.hasCarried() ? types : List.of());
            payload.forEach(column -> joined.add(built.get(keyCount + column)));
            if (kind.hasMark()) {
                joined.add(DataType.BOOL);
            }
            types = joined;
            return this;
        }

        /// Gives the last join a range.
        public Chain between(Join.Range range) {
            Join join = joins.removeLast();
            joins.add(new Join(
                    join.kind(),
                    join.build(),
                    join.keys(),
                    join.carried(),
                    join.payload(),
                    join.residual(),
                    join.nearest(),
                    range));
            return this;
        }

        public int sink(Sink sink) {
            pipelines.add(new Pipeline(pipelines.size(), source, programs, joins, sink));
            return pipelines.size() - 1;
        }

        public int build(List<Integer> keys, List<Integer> payload) {
            return sink(new Sink.HashBuild(keys, payload));
        }

        /// A build side that keeps rows with a NULL key.
        public int buildWithNulls(List<Integer> keys, List<Integer> payload) {
            return sink(new Sink.HashBuild(keys, payload, true));
        }

        public QueryPlan result() {
            return result(Sink.Bound.ZERO, Sink.Bound.NONE);
        }

        public QueryPlan result(Sink.Bound offset, Sink.Bound limit) {
            sink(new Sink.Result(
                    IntStream.range(0, types.size())
                            .mapToObj(index -> "r" + index)
                            .toList(),
                    offset,
                    limit));
            return plan();
        }
    }

    /// What a program gives.
    public record Out(int selection, List<Integer> outputs) {}
}
