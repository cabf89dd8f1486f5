package dev.quarrel.cuda;

import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
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
import java.util.stream.IntStream;

/// Writes plans by hand.
final class Plans {
    private final List<Slot> slots = new ArrayList<>();
    private final List<Pipeline> pipelines = new ArrayList<>();

    int constant(DataType type, Object value) {
        slots.add(new Slot.Constant(new Literal(type, value)));
        return slots.size() - 1;
    }

    Chain scan(Table table) {
        return scan(table, List.of());
    }

    /// @param ranges that all rows which come through lie in
    Chain scan(Table table, List<ColumnRange> ranges) {
        return new Chain(new Source.TableScan(
                "public",
                table.name(),
                table.schema().fields().stream().map(Field::name).toList(),
                table.schema().fields().stream().map(Field::type).toList(),
                ranges));
    }

    /// The rows of the last pipeline as the answer.
    QueryPlan result() {
        int last = pipelines.size() - 1;
        if (pipelines.get(last).sink() instanceof Sink.Result) {
            return new QueryPlan(slots, pipelines);
        }
        Chain chain = new Chain(new Source.Rows(last, pipelines.get(last).rowTypes())).all();
        int columns = chain.types.size();
        chain.sink(leaving(columns, Sink.Bound.ZERO, Sink.Bound.NONE));
        return new QueryPlan(slots, pipelines);
    }

    /// The answer's rows.
    static Sink.Result leaving(int columns, Sink.Bound offset, Sink.Bound limit) {
        return new Sink.Result(
                IntStream.range(0, columns).mapToObj(column -> "r" + column).toList(), offset, limit);
    }

    static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    record Out(int selection, List<Integer> outputs) {}

    final class Chain {
        private final Source source;
        private final List<Program> programs = new ArrayList<>();
        private final List<Join> joins = new ArrayList<>();
        private List<DataType> types;

        Chain(Source source) {
            this.source = source;
            this.types = source.types();
        }

        Chain all() {
            return program(builder -> new Out(
                    0,
                    IntStream.range(0, types.size())
                            .mapToObj(input -> builder.load(input, 0))
                            .toList()));
        }

        Chain program(Function<ProgramBuilder, Out> body) {
            ProgramBuilder builder = new ProgramBuilder(types);
            Out out = body.apply(builder);
            Program program = builder.build(out.selection(), out.outputs(), slots);
            programs.add(program);
            types = program.outputTypes();
            return this;
        }

        /// Carries all outputs and takes all payload, as far as the kind has them.
        Chain join(JoinKind kind, int build, List<Integer> keys) {
            return join(kind, build, keys, null);
        }

        /// @param condition of the chain's columns and all payload, or null
        Chain join(JoinKind kind, int build, List<Integer> keys, Function<ProgramBuilder, Integer> condition) {
            Pipeline maker = pipelines.get(build);
            int keyCount = ((Sink.HashBuild) maker.sink()).keys().size();
            List<DataType> built = maker.rowTypes();
            List<Integer> payload = kind.hasPayload() ? range(0, built.size() - keyCount) : List.of();
            Join.Residual residual = null;
            if (condition != null) {
                List<DataType> inputs = new ArrayList<>(types);
                inputs.addAll(built.subList(keyCount, built.size()));
                ProgramBuilder builder = new ProgramBuilder(inputs);
                int selection = condition.apply(builder);
                residual = new Join.Residual(
                        range(0, types.size()),
                        range(0, built.size() - keyCount),
                        builder.build(selection, List.of(), slots));
            }
            joins.add(new Join(kind, build, keys, range(0, types.size()), payload, residual));
            List<DataType> joined = new ArrayList<>(types);
            payload.forEach(column -> joined.add(built.get(keyCount + column)));
            if (kind.hasMark()) {
                joined.add(DataType.BOOL);
            }
            types = joined;
            return this;
        }

        int sink(Sink sink) {
            pipelines.add(new Pipeline(pipelines.size(), source, programs, joins, sink));
            return pipelines.size() - 1;
        }
    }
}
