package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;

/// A pipeline while operators are still added to it. Programs are written once its sink is known, so that only columns
/// that
/// somebody reads are loaded, carried through joins and put into build tables.
///
/// Expressions are over *base columns*: the source's, then each join's payload. Projections are not steps: they only
/// change
/// what the pipeline's columns mean, so a value is computed where it is used, for the rows that get there.
final class PipelineDraft {
    private final Origin origin;
    private final List<DataType> baseTypes;
    private final List<Step> steps = new ArrayList<>();
    private List<RexNode> columns;
    private int id = -1;

    /// Where the base columns of a pipeline come from.
    sealed interface Origin {
        record Scan(String schemaName, String tableName, List<String> names, List<DataType> types) implements Origin {}

        record Rows(int pipeline, List<DataType> types) implements Origin {}

        record Values(int rowCount, List<DataType> types, List<Integer> slots) implements Origin {}

        List<DataType> types();
    }

    private sealed interface Step {
        record Filter(List<RexNode> conjuncts) implements Step {}

        /// @param firstPayload base column of the build side's first column
        record Probe(JoinKind kind, List<Key> keys, PipelineDraft build, int firstPayload, int payloadCount)
                implements Step {}
    }

    /// One column of an equi-join.
    ///
    /// @param probe over the probe side's base columns
    /// @param build over the build side's base columns
    record Key(RexNode probe, RexNode build, DataType type) {}

    /// A value the sink takes.
    ///
    /// @param type to convert it to, or null for its own
    /// @param comparable without the trailing blanks that do not count
    record Output(RexNode node, DataType type, boolean comparable) {
        static Output of(RexNode node) {
            return new Output(node, null, false);
        }
    }

    /// What pipelines of one plan share.
    interface Plan {
        Slots slots();

        RexBuilder rexBuilder();

        ToIntFunction<RexNode> outerParameter();

        /// Adds a pipeline and answers its number.
        int add(Function<Integer, Pipeline> pipeline);
    }

    PipelineDraft(Origin origin, List<RexNode> columns) {
        this.origin = origin;
        this.baseTypes = new ArrayList<>(origin.types());
        this.columns = List.copyOf(columns);
    }

    Origin origin() {
        return origin;
    }

    /// The current columns, over base columns.
    List<RexNode> columns() {
        return columns;
    }

    /// An expression over the current columns as one over base columns.
    RexNode rebase(RexNode node) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return columns.get(input.getIndex());
            }
        });
    }

    List<RexNode> rebaseAll(List<RexNode> nodes) {
        return nodes.stream().map(this::rebase).toList();
    }

    void project(List<RexNode> newColumns) {
        columns = rebaseAll(newColumns);
    }

    void filter(RexNode condition) {
        steps.add(new Step.Filter(RelOptUtil.conjunctions(rebase(condition))));
    }

    /// Adds a probe of `build`'s rows; for INNER and LEFT its columns follow the current ones.
    ///
    /// @param keys over base columns
    /// @param payload build columns as they are to be seen from here: input references are made from their types
    void join(JoinKind kind, List<Key> keys, PipelineDraft build, List<RexNode> payload) {
        int firstPayload = baseTypes.size();
        boolean keepsPayload = kind == JoinKind.INNER || kind == JoinKind.LEFT;
        int payloadCount = keepsPayload ? payload.size() : 0;
        steps.add(new Step.Probe(kind, List.copyOf(keys), build, firstPayload, payloadCount));
        if (keepsPayload) {
            List<RexNode> joined = new ArrayList<>(columns);
            for (int index = 0; index < payload.size(); index++) {
                RexNode column = payload.get(index);
                baseTypes.add(RowTypes.of(column.getType()));
                joined.add(new RexInputRef(firstPayload + index, column.getType()));
            }
            columns = List.copyOf(joined);
        }
    }

    /// The pipeline's number once it is finished.
    int id() {
        return id;
    }

    /// Writes the programs and adds the pipeline, after those it builds tables with.
    int finish(Plan plan, List<Output> outputs, Function<List<Integer>, Sink> sinkOf) {
        id = new Writer(plan).write(outputs, sinkOf);
        return id;
    }

    private final class Writer {
        private final Plan plan;
        private final Failing failing;
        /// For each step, the base columns read after it; and what is read at all at the end of the list.
        private final List<BitSet> readAfter = new ArrayList<>();

        Writer(Plan plan) {
            this.plan = plan;
            this.failing = new Failing(baseTypes, plan.rexBuilder());
        }

        int write(List<Output> outputs, Function<List<Integer>, Sink> sinkOf) {
            BitSet read = new BitSet();
            outputs.forEach(output -> addReferences(output.node(), read));
            for (Step step : steps.reversed()) {
                readAfter.addFirst((BitSet) read.clone());
                switch (step) {
                    case Step.Filter(List<RexNode> conjuncts) -> conjuncts.forEach(node -> addReferences(node, read));
                    case Step.Probe probe -> probe.keys().forEach(key -> addReferences(key.probe(), read));
                }
            }
            int sourceColumns = origin.types().size();
            List<Integer> present = read.stream()
                    .filter(column -> column < sourceColumns)
                    .boxed()
                    .toList();
            // Values and rows of a pipeline come with all their columns.
            if (!(origin instanceof Origin.Scan)) {
                present = java.util.stream.IntStream.range(0, sourceColumns)
                        .boxed()
                        .toList();
            }
            List<Integer> scanned = present;
            List<Program> programs = new ArrayList<>();
            List<Join> joins = new ArrayList<>();
            Segment segment = new Segment(present);
            for (int index = 0; index < steps.size(); index++) {
                switch (steps.get(index)) {
                    case Step.Filter(List<RexNode> conjuncts) -> segment.filter(conjuncts);
                    case Step.Probe probe -> {
                        BitSet after = readAfter.get(index);
                        Join join = segment.probe(probe, after);
                        programs.add(segment.build());
                        joins.add(join);
                        present = after.stream()
                                .filter(column -> column < probe.firstPayload() + probe.payloadCount())
                                .boxed()
                                .toList();
                        segment = new Segment(present);
                    }
                }
            }
            List<Integer> positions = outputs.stream().map(segment::output).toList();
            programs.add(segment.build());
            Sink sink = sinkOf.apply(positions);
            Source source = source(scanned);
            return plan.add(id -> new Pipeline(id, source, programs, joins, sink));
        }

        private void addReferences(RexNode node, BitSet columns) {
            node.accept(new RexVisitorImpl<Void>(true) {
                @Override
                public Void visitInputRef(RexInputRef input) {
                    columns.set(input.getIndex());
                    return null;
                }
            });
        }

        private Source source(List<Integer> scanned) {
            return switch (origin) {
                case Origin.Scan(String schemaName, String tableName, List<String> names, List<DataType> types) ->
                    new Source.TableScan(
                            schemaName,
                            tableName,
                            scanned.stream().map(names::get).toList(),
                            scanned.stream().map(types::get).toList(),
                            ranges(scanned));
                case Origin.Rows(int pipeline, List<DataType> types) -> new Source.Rows(pipeline, types);
                case Origin.Values(int rowCount, List<DataType> types, List<Integer> slots) ->
                    new Source.Values(rowCount, types, slots);
            };
        }

        /// What the filters before the first one that can fail say of scanned columns.
        private List<ColumnRange> ranges(List<Integer> scanned) {
            List<ColumnRange> ranges = new ArrayList<>();
            for (Step step : steps) {
                if (step instanceof Step.Filter(List<RexNode> conjuncts)) {
                    for (RexNode conjunct : conjuncts) {
                        if (failing.canFail(conjunct)) {
                            return ranges;
                        }
                        addRange(conjunct, scanned, ranges);
                    }
                }
            }
            return ranges;
        }

        private void addRange(RexNode conjunct, List<Integer> scanned, List<ColumnRange> ranges) {
            if (!(conjunct instanceof RexCall call) || !SqlKind.COMPARISON.contains(call.getKind())) {
                return;
            }
            RexNode left = call.getOperands().get(0);
            RexNode right = call.getOperands().get(1);
            SqlKind kind = call.getKind();
            if (!(left instanceof RexInputRef)) {
                RexNode swapped = left;
                left = right;
                right = swapped;
                kind = kind.reverse();
            }
            if (!(left instanceof RexInputRef column) || !scanned.contains(column.getIndex())) {
                return;
            }
            DataType type = baseTypes.get(column.getIndex());
            if (RowTypes.isPadded(column.getType())) {
                return; // trailing blanks do not count, but they do in the statistics
            }
            int slot = boundSlot(right, type);
            if (slot < 0) {
                return;
            }
            int position = scanned.indexOf(column.getIndex());
            switch (kind) {
                case EQUALS -> ranges.add(new ColumnRange(position, slot, slot));
                case LESS_THAN, LESS_THAN_OR_EQUAL -> ranges.add(new ColumnRange(position, -1, slot));
                case GREATER_THAN, GREATER_THAN_OR_EQUAL -> ranges.add(new ColumnRange(position, slot, -1));
                default -> {}
            }
        }

        private int boundSlot(RexNode bound, DataType type) {
            var literal = Literals.as(bound, type);
            if (literal != null) {
                boolean isExact = RowTypes.of(bound.getType()).equals(type) || Literals.fits(bound, type);
                return isExact ? plan.slots().constant(literal) : -1;
            }
            return bound instanceof org.apache.calcite.rex.RexDynamicParam parameter
                            && RowTypes.of(parameter.getType()).equals(type)
                    ? plan.slots().parameter(parameter.getIndex() + 1, type)
                    : -1;
        }

        /// The program between two joins.
        private final class Segment {
            private final ProgramBuilder builder;
            private final RexLowering lowering;
            private final Map<Integer, Integer> inputOfBase = new HashMap<>();
            private final List<Integer> outputs = new ArrayList<>();
            private int rows = ProgramBuilder.ALL_ROWS;

            /// @param present base columns that come in, in order
            Segment(List<Integer> present) {
                for (int input = 0; input < present.size(); input++) {
                    inputOfBase.put(present.get(input), input);
                }
                builder =
                        new ProgramBuilder(present.stream().map(baseTypes::get).toList());
                lowering = new RexLowering(
                        builder,
                        plan.slots(),
                        plan.rexBuilder(),
                        inputOfBase::get,
                        plan.outerParameter(),
                        failing,
                        true);
            }

            void filter(List<RexNode> conjuncts) {
                rows = lowering.filter(conjuncts, rows);
            }

            int output(Output output) {
                RexNode node = output.node();
                DataType type = output.type() == null ? RowTypes.of(node.getType()) : output.type();
                return output(
                        output.comparable()
                                ? lowering.lowerComparable(node, type, rows)
                                : lowering.lowerAs(node, type, rows));
            }

            private int output(int register) {
                int known = outputs.indexOf(register);
                if (known < 0) {
                    outputs.add(register);
                }
                return known < 0 ? outputs.size() - 1 : known;
            }

            Join probe(Step.Probe probe, BitSet after) {
                List<Integer> keys = probe.keys().stream()
                        .map(key -> output(new Output(key.probe(), key.type(), true)))
                        .toList();
                List<Integer> carried = after.stream()
                        .filter(column -> column < probe.firstPayload())
                        .mapToObj(column -> output(builder.load(inputOfBase.get(column), rows)))
                        .toList();
                List<Integer> payload = after.stream()
                        .filter(column ->
                                column >= probe.firstPayload() && column < probe.firstPayload() + probe.payloadCount())
                        .mapToObj(column -> column - probe.firstPayload())
                        .toList();
                PipelineDraft build = probe.build();
                List<Output> outputs = new ArrayList<>();
                probe.keys().forEach(key -> outputs.add(new Output(key.build(), key.type(), true)));
                for (int column : payload) {
                    outputs.add(
                            new Output(build.columns.get(column), baseTypes.get(probe.firstPayload() + column), false));
                }
                int keyCount = probe.keys().size();
                int built = build.finish(
                        plan,
                        outputs,
                        positions -> new Sink.HashBuild(
                                positions.subList(0, keyCount), positions.subList(keyCount, positions.size())));
                List<Integer> payloadOrder = java.util.stream.IntStream.range(0, payload.size())
                        .boxed()
                        .toList();
                return new Join(probe.kind(), built, keys, carried, payloadOrder);
            }

            Program build() {
                return builder.build(rows, outputs, plan.slots().all());
            }
        }
    }
}
