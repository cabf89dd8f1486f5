package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.HostRel;
import dev.quarrel.calcite.rel.QuarrelAggregate;
import dev.quarrel.calcite.rel.QuarrelFilter;
import dev.quarrel.calcite.rel.QuarrelGroupingSets;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.calcite.rel.QuarrelLast;
import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelShared;
import dev.quarrel.calcite.rel.QuarrelSort;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.rel.QuarrelUnion;
import dev.quarrel.calcite.rel.QuarrelValues;
import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.LocalAggregate;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// Turns a tree of device nodes into a plan of pipelines, in one bottom-up walk.
///
/// A [HostRel] below becomes a scan of a table [#HOST_SCHEMA].n: whoever runs the plan makes its rows first.
public final class PipelineEmitter implements PipelineDraft.Plan {
    /// Schema name of the tables that host nodes make; no dataset's schema can have it.
    public static final String HOST_SCHEMA = "$host";

    private final Slots slots = new Slots();
    private final RexBuilder rexBuilder;
    private final ToIntFunction<RexNode> outerParameter;
    private final List<Pipeline> pipelines = new ArrayList<>();
    private final Map<Pipeline, Integer> numberOf = new HashMap<>(); // by what it does
    private final List<HostRel> hostInputs = new ArrayList<>();
    private final Map<SharedQuery, PipelineDraft.Kept> kept = new IdentityHashMap<>();
    private final ColumnsRead columnsRead;
    private final Map<RelNode, PipelineDraft> draftOf = new IdentityHashMap<>();
    private final Map<PipelineDraft, List<RelNode>> nodesOf = new LinkedHashMap<>();
    private final Map<List<String>, Long> rowCounts = new HashMap<>(); // by schema and table

    private PipelineEmitter(RelNode root, ToIntFunction<RexNode> outerParameter) {
        this.rexBuilder = root.getCluster().getRexBuilder();
        this.columnsRead = ColumnsRead.under(root);
        this.outerParameter = outerParameter;
    }

    /// A plan of pipelines, and the host nodes whose rows must exist before it runs.
    ///
    /// @param hostInputs node n makes the table n of [#HOST_SCHEMA]
    /// @param pipelineOf the pipeline that each device node ended up in, by identity
    /// @param expected rows, by pipeline
    /// @param fills slots whose constants may be others in another statement
    public record Emitted(
            QueryPlan plan,
            List<HostRel> hostInputs,
            Map<RelNode, Integer> pipelineOf,
            Map<Integer, ExpectedRows> expected,
            List<SlotFill> fills) {}

    /// - Errors: [IllegalStateException] for a node whose expressions have no program: the rules let none pass.
    ///
    /// @param names of the result's columns
    /// @param outerParameter parameter number of an outer row's field (in a sub-plan run once a row), or of now()
    /// @param rowsOf a node, as the planner expects them
    public static Emitted emit(
            RelNode root, List<String> names, ToIntFunction<RexNode> outerParameter, ToDoubleFunction<RelNode> rowsOf) {
        PipelineEmitter emitter = new PipelineEmitter(root, outerParameter);
        try {
            emitter.result(root, names);
        } catch (Unlowerable reason) {
            throw new IllegalStateException(reason.getMessage() + " in " + root.explain(), reason);
        }
        Map<RelNode, Integer> pipelineOf = new IdentityHashMap<>();
        emitter.draftOf.forEach((rel, draft) -> pipelineOf.put(rel, draft.id()));
        return new Emitted(
                new QueryPlan(
                        emitter.slots.all(), RuntimeFilters.addTo(emitter.pipelines, emitter.slots, emitter::rowCount)),
                List.copyOf(emitter.hostInputs),
                pipelineOf,
                emitter.expected(rowsOf),
                emitter.slots.fills());
    }

    private Map<Integer, ExpectedRows> expected(ToDoubleFunction<RelNode> rowsOf) {
        Map<Integer, RelNode> sinks = new HashMap<>();
        nodesOf.forEach((draft, nodes) -> {
            if (draft.origin() instanceof PipelineDraft.Origin.Rows(int pipeline, var _)) {
                sinks.put(pipeline, nodes.getFirst());
            }
        });
        Map<Integer, ExpectedRows> expected = new HashMap<>();
        nodesOf.forEach(
                (draft, nodes) -> expected.put(draft.id(), ExpectedRows.of(nodes, sinks.get(draft.id()), rowsOf)));
        return expected;
    }

    @Override
    public Slots slots() {
        return slots;
    }

    @Override
    public RexBuilder rexBuilder() {
        return rexBuilder;
    }

    @Override
    public ToIntFunction<RexNode> outerParameter() {
        return outerParameter;
    }

    /// Build sides, groups and kept rows that are made alike are made once, and read by all that need them.
    @Override
    public int add(Function<Integer, Pipeline> pipeline) {
        Pipeline made = pipeline.apply(pipelines.size());
        if (made.sink() instanceof Sink.HashBuild || made.sink().isReadAgain()) {
            Pipeline form = new Pipeline(-1, made.source(), made.programs(), made.joins(), made.sink());
            Integer known = numberOf.putIfAbsent(form, made.id());
            if (known != null) {
                return known;
            }
        }
        pipelines.add(made);
        return made.id();
    }

    @Override
    public boolean isReadAgain(int pipeline) {
        return pipelines.get(pipeline).sink().isReadAgain();
    }

    @Override
    public List<DataType> rowTypes(int pipeline) {
        return pipelines.get(pipeline).rowTypes();
    }

    private void result(RelNode root, List<String> names) {
        Sink.Bound offset = Sink.Bound.ZERO;
        Sink.Bound limit = Sink.Bound.NONE;
        PipelineDraft draft;
        if (root instanceof QuarrelSort sort
                && sort.getCollation().getFieldCollations().isEmpty()) {
            offset = bound(sort.offset, Sink.Bound.ZERO);
            limit = bound(sort.fetch, Sink.Bound.NONE);
            draft = draft(sort.getInput());
            draftOf.put(sort, draft);
        } else {
            draft = draft(root);
        }
        Sink.Bound finalOffset = offset;
        Sink.Bound finalLimit = limit;
        List<PipelineDraft.Output> outputs =
                draft.columns().stream().map(PipelineDraft.Output::of).toList();
        List<Integer> order = new ArrayList<>();
        int last = draft.finish(this, outputs, positions -> {
            order.addAll(positions);
            return new Sink.Result(names.subList(0, positions.size()), finalOffset, finalLimit);
        });
        // A result has a column an output: one that stands in the select list twice is written twice.
        reorder(last, order);
        Pipeline pipeline = pipelines.get(last);
        pipelines.set(
                last,
                new Pipeline(
                        last,
                        pipeline.source(),
                        pipeline.programs(),
                        pipeline.joins(),
                        new Sink.Result(names, finalOffset, finalLimit)));
    }

    @Override
    public void reorder(int id, List<Integer> order) {
        Pipeline pipeline = pipelines.get(id);
        Program program = pipeline.lastProgram();
        if (isIdentity(order, program.outputs().size())) {
            return;
        }
        List<Integer> registers = order.stream().map(program.outputs()::get).toList();
        List<Program> programs = new ArrayList<>(pipeline.programs());
        programs.set(
                programs.size() - 1,
                new Program(program.inputs(), program.registers(), program.code(), program.selection(), registers));
        pipelines.set(id, new Pipeline(id, pipeline.source(), programs, pipeline.joins(), pipeline.sink()));
    }

    private static boolean isIdentity(List<Integer> order, int size) {
        for (int index = 0; index < order.size(); index++) {
            if (order.get(index) != index) {
                return false;
            }
        }
        return order.size() == size;
    }

    private PipelineDraft draft(RelNode rel) {
        PipelineDraft draft =
                switch (rel) {
                    case HostRel host -> hostScan(host);
                    case QuarrelTableScan scan -> scan(scan);
                    case QuarrelFilter filter -> {
                        PipelineDraft input = draft(filter.getInput());
                        input.filter(filter.getCondition());
                        yield input;
                    }
                    case QuarrelProject project -> {
                        PipelineDraft input = draft(project.getInput());
                        input.project(project.getProjects());
                        yield input;
                    }
                    case QuarrelJoin join -> join(join);
                    case QuarrelAggregate aggregate -> aggregate(aggregate);
                    case QuarrelGroupingSets sets -> groupingSets(sets);
                    case QuarrelSort sort -> sort(sort);
                    case QuarrelLast last -> last(last);
                    case QuarrelWindow window -> window(window);
                    case QuarrelValues values -> values(values);
                    case QuarrelUnion union -> union(union);
                    case QuarrelShared shared -> shared(shared);
                    default -> throw new IllegalStateException("no pipeline for " + rel.getRelTypeName());
                };
        draftOf.put(rel, draft);
        nodesOf.computeIfAbsent(draft, _ -> new ArrayList<>()).add(rel);
        return draft;
    }

    private PipelineDraft union(QuarrelUnion union) {
        List<PipelineDraft> branches =
                union.getInputs().stream().map(this::draft).toList();
        return new PipelineDraft(
                new PipelineDraft.Origin.Union(branches, types(union.getRowType())), references(union.getRowType()));
    }

    /// The rows that several places read are made where the first of them needs them.
    private PipelineDraft shared(QuarrelShared shared) {
        PipelineDraft.Kept known = kept.get(shared.query());
        if (known == null) {
            known = draft(shared.getInput()).keep(this, columnsRead.of(shared));
            kept.put(shared.query(), known);
        }
        return new PipelineDraft(known.rows(), known.columns());
    }

    private static List<RexNode> references(RelDataType rowType) {
        List<RexNode> references = new ArrayList<>();
        for (RelDataTypeField field : rowType.getFieldList()) {
            references.add(new RexInputRef(field.getIndex(), field.getType()));
        }
        return references;
    }

    private PipelineDraft hostScan(HostRel host) {
        hostInputs.add(host);
        List<DataType> types = types(host.getRowType());
        List<String> names = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            names.add(Integer.toString(index));
        }
        return new PipelineDraft(
                new PipelineDraft.Origin.Scan(HOST_SCHEMA, Integer.toString(hostInputs.size() - 1), names, types),
                references(host.getRowType()));
    }

    /// The data types of a row.
    public static List<DataType> types(RelDataType rowType) {
        return rowType.getFieldList().stream()
                .map(field -> RowTypes.of(field.getType()))
                .toList();
    }

    /// Rows of a scan's table; 0 where host nodes make them.
    private long rowCount(Source.TableScan scan) {
        return rowCounts.getOrDefault(List.of(scan.schemaName(), scan.tableName()), 0L);
    }

    private PipelineDraft scan(QuarrelTableScan scan) {
        Table table = scan.source();
        rowCounts.put(List.of(table.schemaName(), table.name()), table.stats().rowCount());
        List<Field> fields = table.schema().fields();
        return new PipelineDraft(
                new PipelineDraft.Origin.Scan(
                        table.schemaName(),
                        table.name(),
                        fields.stream().map(Field::name).toList(),
                        fields.stream().map(Field::type).toList()),
                references(scan.getRowType()));
    }

    private PipelineDraft join(QuarrelJoin join) {
        PipelineDraft probe = draft(join.getLeft());
        PipelineDraft build = draft(join.getRight());
        List<RelDataType> leftTypes = fieldTypes(join.getLeft());
        List<RelDataType> rightTypes = fieldTypes(join.getRight());
        List<PipelineDraft.Key> keys = new ArrayList<>();
        for (int index = 0; index < join.leftKeys().size(); index++) {
            int left = join.leftKeys().get(index);
            int right = join.rightKeys().get(index);
            DataType type = joinKeyType(leftTypes.get(left), rightTypes.get(right));
            keys.add(new PipelineDraft.Key(
                    probe.columns().get(left), build.columns().get(right), type));
        }
        PipelineDraft.Nearest nearest = join.nearest() == null
                ? null
                : new PipelineDraft.Nearest(
                        probe.columns().get(join.nearest().left()),
                        join.nearest().right(),
                        join.nearest().relation());
        probe.join(join.kind(), keys, build, join.residual(), nearest, join.range(), rightTypes, fieldTypes(join));
        return probe;
    }

    private static List<RelDataType> fieldTypes(RelNode rel) {
        return rel.getRowType().getFieldList().stream()
                .map(RelDataTypeField::getType)
                .toList();
    }

    /// The type in which two join columns meet, or null if they cannot.
    public static DataType joinKeyType(RelDataType left, RelDataType right) {
        DataType one = RowTypes.orNull(left);
        DataType other = RowTypes.orNull(right);
        return one == null || other == null ? null : OperandTypes.comparable(one, other);
    }

    /// The type in which two expressions are compared, or null if they cannot be.
    public static DataType comparedType(RexNode one, RexNode other) {
        return RowTypes.orNull(one.getType()) == null || RowTypes.orNull(other.getType()) == null
                ? null
                : OperandTypes.comparable(one, other);
    }

    /// The type of an expression's values.
    public static DataType typeOf(RexNode node) {
        return RowTypes.of(node.getType());
    }

    private PipelineDraft aggregate(QuarrelAggregate aggregate) {
        return grouped(aggregate, aggregate.getGroupSet(), aggregate.getAggCallList(), List.of());
    }

    private PipelineDraft groupingSets(QuarrelGroupingSets grouping) {
        List<Integer> keys = grouping.keys().asList();
        return grouped(
                grouping,
                grouping.keys(),
                grouping.calls(),
                grouping.sets().stream()
                        .map(set -> new Sink.GroupingSet(
                                set.keys().asList().stream().map(keys::indexOf).toList(), set.numbers()))
                        .toList());
    }

    /// @param aggregate its rows are keys, results, and the numbers of the sets
    private PipelineDraft grouped(
            RelNode aggregate,
            ImmutableBitSet groupSet,
            List<org.apache.calcite.rel.core.AggregateCall> calls,
            List<Sink.GroupingSet> sets) {
        PipelineDraft input = draft(aggregate.getInput(0));
        List<PipelineDraft.Output> outputs = new ArrayList<>();
        groupSet.forEachInt(key -> {
            RexNode column = input.columns().get(key);
            // Values of one char(n) have one length; those of bpchar without a length may differ in blanks alone.
            boolean mayDiffer = RowTypes.isPadded(column.getType()) && SqlTypes.typmod(column.getType()) < 0;
            outputs.add(new PipelineDraft.Output(column, null, mayDiffer));
        });
        int keyCount = outputs.size();
        List<AggregateKind> kinds = new ArrayList<>();
        List<LocalAggregate> locals = new ArrayList<>();
        List<List<Integer>> arguments = new ArrayList<>();
        List<List<SortKey>> orders = new ArrayList<>();
        List<Integer> filters = new ArrayList<>();
        List<RexNode> columns = new ArrayList<>();
        for (int key = 0; key < keyCount; key++) {
            RelDataType type = aggregate.getRowType().getFieldList().get(key).getType();
            if (!outputs.get(key).comparable()) {
                columns.add(new RexInputRef(key, type));
                continue;
            }
            // The key lost its blanks: one of the group's values is shown.
            columns.add(new RexInputRef(keyCount + kinds.size(), type));
            kinds.add(AggregateKind.MIN);
            locals.add(null);
            arguments.add(List.of(outputs.size()));
            outputs.add(PipelineDraft.Output.of(outputs.get(key).node()));
            orders.add(List.of());
            filters.add(-1);
        }
        for (int index = 0; index < calls.size(); index++) {
            var call = calls.get(index);
            RelDataType type =
                    aggregate.getRowType().getFieldList().get(keyCount + index).getType();
            if (call.getAggregation().getKind() == SqlKind.LITERAL_AGG) {
                columns.add(call.rexList.getFirst());
                continue;
            }
            AggregateKind kind = Aggregates.kind(call);
            RexNode result = new RexInputRef(keyCount + kinds.size(), type);
            columns.add(Aggregates.isSumOrZero(call) ? Aggregates.orZero(rexBuilder, result) : result);
            kinds.add(kind);
            locals.add(Aggregates.local(call));
            List<Integer> places = new ArrayList<>();
            AggregateFunction ours = call.getAggregation() instanceof AggregateFunction function ? function : null;
            int argumentCount =
                    call.getArgList().size() - (ours == null ? 0 : ours.order().size());
            for (int argument : call.getArgList().subList(0, argumentCount)) {
                places.add(outputs.size());
                outputs.add(PipelineDraft.Output.of(input.columns().get(argument)));
            }
            arguments.add(places);
            List<SortKey> order = new ArrayList<>();
            for (int key = argumentCount; key < call.getArgList().size(); key++) {
                RexNode column = input.columns().get(call.getArgList().get(key));
                AggregateFunction.Direction direction = ours.order().get(key - argumentCount);
                order.add(new SortKey(outputs.size(), direction.descending(), direction.nullsFirst()));
                outputs.add(new PipelineDraft.Output(column, RowTypes.of(column.getType()), true));
            }
            orders.add(order);
            filters.add(call.filterArg < 0 ? -1 : outputs.size());
            if (call.filterArg >= 0) {
                outputs.add(PipelineDraft.Output.of(input.columns().get(call.filterArg)));
            }
        }
        int id = input.finish(this, outputs, positions -> {
            List<AggregateCall> made = new ArrayList<>();
            for (int index = 0; index < kinds.size(); index++) {
                int filter = filters.get(index);
                made.add(new AggregateCall(
                        kinds.get(index),
                        arguments.get(index).stream().map(positions::get).toList(),
                        filter < 0 ? -1 : positions.get(filter),
                        orders.get(index).stream()
                                .map(key ->
                                        new SortKey(positions.get(key.output()), key.descending(), key.nullsFirst()))
                                .toList(),
                        locals.get(index)));
            }
            return new Sink.Aggregate(positions.subList(0, keyCount), made, sets);
        });
        for (int column = columns.size(); column < aggregate.getRowType().getFieldCount(); column++) {
            int number = column - keyCount - calls.size();
            columns.add(new RexInputRef(
                    keyCount + kinds.size() + number,
                    aggregate.getRowType().getFieldList().get(column).getType()));
        }
        return new PipelineDraft(
                new PipelineDraft.Origin.Rows(id, pipelines.get(id).rowTypes()), columns);
    }

    private PipelineDraft sort(QuarrelSort sort) {
        PipelineDraft input = draft(sort.getInput());
        List<RexNode> columns = input.columns();
        List<PipelineDraft.Output> outputs = new ArrayList<>();
        columns.forEach(column -> outputs.add(PipelineDraft.Output.of(column)));
        List<RelFieldCollation> order = sort.getCollation().getFieldCollations();
        for (RelFieldCollation key : order) {
            RexNode column = columns.get(key.getFieldIndex());
            outputs.add(new PipelineDraft.Output(column, RowTypes.of(column.getType()), true));
        }
        Sink.Bound offset = bound(sort.offset, Sink.Bound.ZERO);
        Sink.Bound limit = bound(sort.fetch, Sink.Bound.NONE);
        List<Integer> places = new ArrayList<>();
        int id = input.finish(this, outputs, positions -> {
            places.addAll(positions);
            List<SortKey> keys = new ArrayList<>();
            for (int index = 0; index < order.size(); index++) {
                RelFieldCollation key = order.get(index);
                keys.add(new SortKey(
                        positions.get(columns.size() + index), key.direction.isDescending(), isNullsFirst(key)));
            }
            return new Sink.Sort(keys, offset, limit);
        });
        List<RexNode> sorted = new ArrayList<>();
        for (RelDataTypeField field : sort.getRowType().getFieldList()) {
            sorted.add(new RexInputRef(places.get(field.getIndex()), field.getType()));
        }
        return new PipelineDraft(
                new PipelineDraft.Origin.Rows(id, pipelines.get(id).rowTypes()), sorted);
    }

    private PipelineDraft last(QuarrelLast last) {
        PipelineDraft input = draft(last.getInput());
        if (!input.hasEnd()) {
            BitSet all = new BitSet();
            all.set(0, input.columns().size());
            PipelineDraft.Kept kept = input.keep(this, all);
            input = new PipelineDraft(kept.rows(), kept.columns());
        }
        List<Integer> places = new ArrayList<>();
        int id = input.finish(
                this, input.columns().stream().map(PipelineDraft.Output::of).toList(), positions -> {
                    places.addAll(positions);
                    return new Sink.Last(Sink.Bound.of(last.count()));
                });
        List<RexNode> kept = new ArrayList<>();
        for (RelDataTypeField field : last.getRowType().getFieldList()) {
            kept.add(new RexInputRef(places.get(field.getIndex()), field.getType()));
        }
        return new PipelineDraft(
                new PipelineDraft.Origin.Rows(id, pipelines.get(id).rowTypes()), kept);
    }

    private PipelineDraft window(QuarrelWindow window) {
        PipelineDraft input = draft(window.getInput());
        List<RexNode> columns = input.columns();
        List<PipelineDraft.Output> outputs = new ArrayList<>();
        columns.forEach(column -> outputs.add(PipelineDraft.Output.of(column)));
        List<RelFieldCollation> order = window.order();
        List<Integer> keys = new ArrayList<>(window.partition());
        order.forEach(key -> keys.add(key.getFieldIndex()));
        for (int key : keys) {
            RexNode column = columns.get(key);
            outputs.add(new PipelineDraft.Output(column, RowTypes.of(column.getType()), true));
        }
        int partitionCount = window.partition().size();
        List<Integer> places = new ArrayList<>();
        int id = input.finish(this, outputs, positions -> {
            places.addAll(positions);
            List<Integer> keyPlaces = positions.subList(columns.size(), positions.size());
            List<SortKey> sortKeys = new ArrayList<>();
            for (int index = 0; index < order.size(); index++) {
                RelFieldCollation key = order.get(index);
                sortKeys.add(new SortKey(
                        keyPlaces.get(partitionCount + index), key.direction.isDescending(), isNullsFirst(key)));
            }
            return new Sink.Window(
                    keyPlaces.subList(0, partitionCount),
                    sortKeys,
                    window.calls().stream()
                            .map(call -> WindowCalls.renumbered(call, positions::get))
                            .toList(),
                    window.first());
        });
        int outputCount = pipelines.get(id).lastProgram().outputs().size();
        List<RexNode> made = new ArrayList<>();
        for (RelDataTypeField field : window.getRowType().getFieldList()) {
            int index = field.getIndex();
            int place = index < columns.size() ? places.get(index) : outputCount + index - columns.size();
            made.add(new RexInputRef(place, field.getType()));
        }
        return new PipelineDraft(
                new PipelineDraft.Origin.Rows(id, pipelines.get(id).rowTypes()), made);
    }

    /// PostgreSQL sorts NULLs as if they were greater than everything, where nothing else is said.
    public static boolean isNullsFirst(RelFieldCollation key) {
        return switch (key.nullDirection) {
            case FIRST -> true;
            case LAST -> false;
            case UNSPECIFIED -> key.direction.isDescending();
        };
    }

    private Sink.Bound bound(RexNode node, Sink.Bound absent) {
        return switch (node) {
            case null -> absent;
            case RexLiteral literal when literal.isNull() -> absent;
            case RexLiteral literal -> Sink.Bound.ofSlot(slots.constant(Literals.of(literal, DataType.INT64)));
            case RexDynamicParam parameter ->
                Sink.Bound.ofSlot(slots.parameter(parameter.getIndex() + 1, DataType.INT64));
            case RexFieldAccess outer ->
                Sink.Bound.ofSlot(slots.parameter(outerParameter.applyAsInt(outer), DataType.INT64));
            default -> throw new IllegalStateException("a row count that is no constant: " + node);
        };
    }

    private PipelineDraft values(QuarrelValues values) {
        List<DataType> types = types(values.getRowType());
        List<Integer> numbers = new ArrayList<>();
        for (List<RexLiteral> row : values.getTuples()) {
            for (int column = 0; column < types.size(); column++) {
                var literal = Literals.as(row.get(column), types.get(column));
                numbers.add(
                        slots.constant(literal != null ? literal : Literals.of(row.get(column), types.get(column))));
            }
        }
        return new PipelineDraft(
                new PipelineDraft.Origin.Values(values.getTuples().size(), types, numbers),
                references(values.getRowType()));
    }
}
