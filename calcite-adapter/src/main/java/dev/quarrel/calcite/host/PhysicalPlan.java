package dev.quarrel.calcite.host;

import dev.quarrel.calcite.lower.ExpectedRows;
import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.calcite.lower.SlotFill;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import dev.quarrel.calcite.rel.HostRel;
import dev.quarrel.calcite.rel.QuarrelCorrelate;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.QuarrelStream;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeField;

/// An executable plan: pipelines for devices, and host nodes above and below them. It refers to no open table or
/// memory address.
public sealed interface PhysicalPlan {
    List<DataType> types();

    /// The part of a plan that devices run, as pipelines.
    ///
    /// @param inputs host nodes whose rows it scans as tables 0, 1, …
    /// @param expected rows, by pipeline
    /// @param fills slots whose constants may be others in another statement
    record Device(
            QueryPlan plan,
            List<Host> inputs,
            List<DataType> types,
            Map<Integer, ExpectedRows> expected,
            List<SlotFill> fills)
            implements PhysicalPlan {
        public Device {
            inputs = List.copyOf(inputs);
            types = List.copyOf(types);
            expected = Map.copyOf(expected);
            fills = List.copyOf(fills);
        }
    }

    /// A host node over its inputs. Several places of a plan may read the same object: its rows are produced
    /// once per execution.
    final class Host implements PhysicalPlan {
        private final HostRel rel;
        private final List<PhysicalPlan> inputs;
        private final List<DataType> types;
        private final boolean dependsOnOuterRow;
        private final Set<Object> workingTables;
        private final List<Integer> outerColumns;
        private final List<Integer> outerParameters;

        private Host(
                HostRel rel,
                List<PhysicalPlan> inputs,
                boolean dependsOnOuterRow,
                List<Integer> outerColumns,
                List<Integer> outerParameters) {
            this.rel = rel;
            this.inputs = List.copyOf(inputs);
            this.types = PipelineEmitter.types(rel.getRowType());
            this.dependsOnOuterRow = dependsOnOuterRow;
            this.workingTables = workingTables(rel, inputs);
            this.outerColumns = List.copyOf(outerColumns);
            this.outerParameters = List.copyOf(outerParameters);
        }

        private static Set<Object> workingTables(HostRel rel, List<PhysicalPlan> inputs) {
            Set<Object> found = Collections.newSetFromMap(new IdentityHashMap<>());
            for (PhysicalPlan input : inputs) {
                switch (input) {
                    case Device device -> device.inputs().forEach(each -> found.addAll(each.workingTables()));
                    case Host host -> found.addAll(host.workingTables());
                }
            }
            switch (rel) {
                case QuarrelWorkingTable table -> found.add(table.identity());
                case QuarrelRecursion recursion -> found.remove(recursion.identity());
                case QuarrelStream stream -> found.remove(stream.identity());
                default -> {}
            }
            return found;
        }

        public HostRel rel() {
            return rel;
        }

        public List<PhysicalPlan> inputs() {
            return inputs;
        }

        @Override
        public List<DataType> types() {
            return types;
        }

        /// Whether its rows differ from one outer row to the next.
        boolean dependsOnOuterRow() {
            return dependsOnOuterRow;
        }

        /// The recursive queries around it whose last round's rows it reads, by identity.
        Set<Object> workingTables() {
            return workingTables;
        }

        /// By column, whether it is of char(n) or bpchar.
        boolean[] padded() {
            List<RelDataTypeField> fields = rel.getRowType().getFieldList();
            boolean[] padded = new boolean[fields.size()];
            for (int column = 0; column < padded.length; column++) {
                padded[column] = SqlTypes.pgType(fields.get(column).getType()) == PgType.BPCHAR;
            }
            return padded;
        }

        /// For a [QuarrelCorrelate]: columns of the left side that the right side reads, and the parameters they go to.
        List<Integer> outerColumns() {
            return outerColumns;
        }

        List<Integer> outerParameters() {
            return outerParameters;
        }
    }

    /// Makes the plan of a tree of Quarrel's nodes.
    ///
    /// @param names of the result's columns
    static PhysicalPlan of(RelNode root, List<String> names, HiddenParameters parameters) {
        return new Builder(parameters).build(root, names);
    }

    /// See [PhysicalPlan#of].
    final class Builder {
        private final HiddenParameters parameters;
        private final Map<HostRel, Host> made = new IdentityHashMap<>();

        private Builder(HiddenParameters parameters) {
            this.parameters = parameters;
        }

        private PhysicalPlan build(RelNode rel, List<String> names) {
            if (rel instanceof HostRel host) {
                return host(host);
            }
            PipelineEmitter.Emitted emitted =
                    PipelineEmitter.emit(rel, names, parameters::number, QuarrelMetadata.of(rel)::rows);
            List<Host> inputs = emitted.hostInputs().stream().map(this::host).toList();
            return new Device(
                    emitted.plan(),
                    inputs,
                    PipelineEmitter.types(rel.getRowType()),
                    emitted.expected(),
                    emitted.fills());
        }

        private Host host(HostRel rel) {
            Host known = made.get(rel);
            if (known == null) {
                known = make(rel);
                made.put(rel, known);
            }
            return known;
        }

        private Host make(HostRel rel) {
            List<PhysicalPlan> inputs = new ArrayList<>();
            int readsBefore = parameters.outerReads();
            for (RelNode input : rel.getInputs()) {
                inputs.add(build(input, numbered(input.getRowType().getFieldCount())));
            }
            boolean dependsOnOuterRow = parameters.outerReads() > readsBefore;
            if (!(rel instanceof QuarrelCorrelate correlate)) {
                return new Host(rel, inputs, dependsOnOuterRow, List.of(), List.of());
            }
            Map<Integer, Integer> outer = parameters.of(correlate.getCorrelationId());
            List<Integer> columns = List.copyOf(outer.keySet());
            return new Host(
                    rel,
                    inputs,
                    dependsOnOuterRow,
                    columns,
                    columns.stream().map(outer::get).toList());
        }

        private static List<String> numbered(int count) {
            return IntStream.range(0, count).mapToObj(Integer::toString).toList();
        }
    }
}
