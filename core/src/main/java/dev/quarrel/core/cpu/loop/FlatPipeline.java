package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.number.Range;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.type.DataType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A pipeline whose rows stay in their tile, laid out as a list of stages that each narrow the tile's rows.
///
/// What a register holds is traced back to its [Origin]: so a stage reads the source's columns and the build sides'
/// rows directly, and comparisons of columns with constants are taken out of the programs and merged into ranges.
///
/// - Errors are those of the programs: a stage moves in front of others only if neither it nor they can fail.
///
/// @param stages in order
/// @param outputs origins of the last program's outputs
public record FlatPipeline(List<Stage> stages, List<Origin> outputs) {
    /// The place that a value comes from.
    public sealed interface Origin {
        DataType type();

        /// A column of the source.
        record Input(int column, DataType type) implements Origin {}

        /// A column of a join's build side, in the matching row.
        record Payload(int join, int column, DataType type) implements Origin {}

        /// Output number `output` of a program that is run.
        record Computed(int program, int output, DataType type) implements Origin {}

        /// A slot's value.
        record Constant(int slot, DataType type) implements Origin {}
    }

    /// A step that narrows the rows, or computes.
    public sealed interface Stage {
        /// Keeps the rows whose column lies in a range.
        record InRange(Origin.Input column, Range range) implements Stage {}

        /// Keeps the rows that a runtime filter does not drop.
        record OfKeys(Origin.Input column, ScanFilters.Filter filter) implements Stage {}

        /// Keeps the rows whose text, a value of a dictionary, satisfies a condition.
        ///
        /// @param condition a program over the one column; its selection is the answer
        record OfDictionary(Origin.Input column, Program condition) implements Stage {}

        /// Keeps the rows with (or for ANTI without) a match.
        record Matches(int join, JoinKind kind, List<Origin> keys) implements Stage {}

        /// Keeps the rows that a program selects; its outputs become [Origin.Computed].
        ///
        /// @param program its number in the pipeline
        /// @param code what is left of it without the conditions that are stages of their own; registers keep
        ///     their numbers
        record Runs(int program, Program code, List<Origin> inputs, boolean canFail) implements Stage {}
    }

    /// The flat form, or null if rows do not stay in their tile.
    public static FlatPipeline of(Pipeline pipeline, List<JoinTable> tables, List<Literal> slotValues) {
        for (int index = 0; index < tables.size(); index++) {
            Join join = pipeline.joins().get(index);
            boolean stays =
                    switch (join.kind()) {
                        case INNER -> tables.get(index).isUnique();
                        case SEMI, ANTI -> true;
                        case LEFT, RIGHT, FULL, RIGHT_SEMI, RIGHT_ANTI, MARK, MARK_IN -> false;
                    };
            if (!stays || !join.conditions().isEmpty() || join.nearest() != null) {
                return null;
            }
        }
        return new Flattening(pipeline, slotValues).run();
    }

    private static final class Flattening {
        private final Pipeline pipeline;
        private final List<Literal> slotValues;
        private final List<Stage> stages = new ArrayList<>();

        Flattening(Pipeline pipeline, List<Literal> slotValues) {
            this.pipeline = pipeline;
            this.slotValues = slotValues;
        }

        FlatPipeline run() {
            List<DataType> types = pipeline.source().types();
            List<Origin> inputs = new ArrayList<>();
            for (int column = 0; column < types.size(); column++) {
                inputs.add(new Origin.Input(column, types.get(column)));
            }
            for (int index = 0; ; index++) {
                List<Origin> outputs = flatten(index, inputs);
                if (index == pipeline.joins().size()) {
                    return new FlatPipeline(List.copyOf(stages), outputs);
                }
                Join join = pipeline.joins().get(index);
                stages.add(new Stage.Matches(
                        index,
                        join.kind(),
                        join.keys().stream().map(outputs::get).toList()));
                inputs = new ArrayList<>(
                        join.carried().stream().map(outputs::get).toList());
                Program next = pipeline.programs().get(index + 1);
                for (int column : join.payload()) {
                    inputs.add(new Origin.Payload(index, column, next.inputs().get(inputs.size())));
                }
            }
        }

        private List<Origin> flatten(int index, List<Origin> inputs) {
            Program program = pipeline.programs().get(index);
            Map<Integer, Instruction> writers = new HashMap<>();
            program.code().forEach(instruction -> writers.put(instruction.result(), instruction));
            List<Instruction> conjuncts = conjuncts(program, writers);
            Set<Integer> taken = new HashSet<>();
            if (conjuncts != null) {
                takeOut(program, inputs, writers, conjuncts, taken);
            }
            boolean isDone = conjuncts != null && taken.size() == conjuncts.size();
            List<Origin> outputs = new ArrayList<>();
            for (int output = 0; output < program.outputs().size(); output++) {
                Instruction made = writers.get(program.outputs().get(output));
                DataType type = program.valueType(program.outputs().get(output));
                Origin origin =
                        switch (made.op()) {
                            case LOAD -> inputs.get(made.immediate());
                            case CONST -> new Origin.Constant(made.immediate(), type);
                            default -> new Origin.Computed(index, output, type);
                        };
                outputs.add(origin);
            }
            boolean computes = outputs.stream()
                    .anyMatch(origin ->
                            origin instanceof Origin.Computed(int maker, int _, DataType _) && maker == index);
            boolean mayFail = program.code().stream().anyMatch(instruction -> mayFail(instruction, writers));
            if (!isDone || computes || mayFail) {
                Program left = taken.isEmpty() ? program : without(program, conjuncts, taken);
                stages.add(new Stage.Runs(index, left, List.copyOf(inputs), mayFail));
            }
            return outputs;
        }

        /// The mask instructions that the selection is made by, first to last; null if they are not all conjuncts.
        private static List<Instruction> conjuncts(Program program, Map<Integer, Instruction> writers) {
            List<Instruction> chain = new ArrayList<>();
            for (int mask = program.selection(); mask != 0; ) {
                Instruction made = writers.get(mask);
                if (made.op() != Opcode.MASK_TRUE) {
                    return null;
                }
                chain.addFirst(made);
                mask = made.mask();
            }
            return chain;
        }

        /// A program without some of its conjuncts, which rows have met that come to it, and without what only these
        /// need.
        private static Program without(Program program, List<Instruction> conjuncts, Set<Integer> taken) {
            Map<Integer, Integer> masks = new HashMap<>();
            for (int place = 0; place < conjuncts.size(); place++) {
                Instruction made = conjuncts.get(place);
                int before = masks.getOrDefault(made.mask(), made.mask());
                if (taken.contains(place)) {
                    masks.put(made.result(), before);
                }
            }
            int selection = masks.getOrDefault(program.selection(), program.selection());
            Set<Integer> needed = new HashSet<>(program.outputs());
            needed.add(selection);
            Deque<Instruction> code = new ArrayDeque<>();
            for (Instruction instruction : program.code().reversed()) {
                boolean isTaken = masks.containsKey(instruction.result());
                if (isTaken || !needed.contains(instruction.result()) && !instruction.canFail()) {
                    continue;
                }
                List<Integer> arguments = instruction.arguments().stream()
                        .map(argument -> masks.getOrDefault(argument, argument))
                        .toList();
                int mask = masks.getOrDefault(instruction.mask(), instruction.mask());
                needed.addAll(arguments);
                needed.add(mask);
                code.addFirst(new Instruction(
                        instruction.op(),
                        instruction.result(),
                        arguments,
                        mask,
                        instruction.immediate(),
                        instruction.callee()));
            }
            return new Program(program.inputs(), program.registers(), List.copyOf(code), selection, program.outputs());
        }

        private void takeOut(
                Program program,
                List<Origin> inputs,
                Map<Integer, Instruction> writers,
                List<Instruction> conjuncts,
                Set<Integer> taken) {
            Set<Integer> chain = new HashSet<>(Set.of(0));
            conjuncts.forEach(conjunct -> chain.add(conjunct.result()));
            for (int place = 0; place < conjuncts.size(); place++) {
                Set<Integer> parts = new HashSet<>();
                collect(conjuncts.get(place).arguments().getFirst(), writers, chain, parts);
                if (parts.stream().anyMatch(part -> mayFail(writers.get(part), writers))) {
                    return; // what stands behind it stays there
                }
                Stage simple = simple(program, inputs, writers, conjuncts.get(place), parts);
                if (simple != null) {
                    taken.add(place);
                    add(simple);
                }
            }
        }

        private void add(Stage stage) {
            if (stage instanceof Stage.InRange(Origin.Input column, Range range)) {
                for (int place = stages.size() - 1; place >= 0; place--) {
                    if (!(stages.get(place) instanceof Stage.InRange(Origin.Input other, Range before))) {
                        break;
                    }
                    Range both = other.equals(column) ? before.and(range) : null;
                    if (both != null) {
                        stages.set(place, new Stage.InRange(column, both));
                        return;
                    }
                }
            }
            stages.add(stage);
        }

        private Stage simple(
                Program program,
                List<Origin> inputs,
                Map<Integer, Instruction> writers,
                Instruction conjunct,
                Set<Integer> parts) {
            Set<Integer> loaded = new HashSet<>();
            for (int part : parts) {
                Instruction instruction = writers.get(part);
                if (instruction.op() == Opcode.LOAD) {
                    loaded.add(instruction.immediate());
                }
            }
            if (loaded.size() != 1
                    || !(inputs.get(loaded.iterator().next()) instanceof Origin.Input(int column, DataType type))) {
                return null;
            }
            Origin.Input input = new Origin.Input(column, type);
            if (type instanceof DataType.Utf8) {
                return new Stage.OfDictionary(input, overColumn(program, conjunct, parts));
            }
            Instruction compared = writers.get(conjunct.arguments().getFirst());
            if (parts.size() != 3 || compared.arguments().size() != 2) {
                return null;
            }
            Instruction left = writers.get(compared.arguments().get(0));
            Instruction right = writers.get(compared.arguments().get(1));
            boolean turned = left.op() == Opcode.CONST;
            Instruction constant = turned ? left : right;
            if (constant.op() != Opcode.CONST || (turned ? right : left).op() != Opcode.LOAD) {
                return null;
            }
            Range range = Range.of(compared.op(), turned, slotValues.get(constant.immediate()));
            return range == null ? null : new Stage.InRange(input, range);
        }

        /// The conjunct as a program of one input, whose rows are all looked at.
        private static Program overColumn(Program program, Instruction conjunct, Set<Integer> parts) {
            DataType type = null;
            List<Instruction> code = new ArrayList<>();
            for (Instruction instruction : program.code()) {
                boolean isPart = parts.contains(instruction.result());
                if (!isPart && instruction.result() != conjunct.result()) {
                    continue;
                }
                // Masks before it let fewer rows through; where nothing fails that makes no difference.
                int mask = parts.contains(instruction.mask()) ? instruction.mask() : 0;
                int immediate = instruction.immediate();
                if (instruction.op() == Opcode.LOAD) {
                    type = program.inputs().get(immediate);
                    immediate = 0;
                }
                code.add(instruction.with(mask, immediate));
            }
            return new Program(List.of(type), program.registers(), code, conjunct.result(), List.of());
        }

        /// Registers that a value is computed from, itself included, with the masks that are its own: those off the
        /// chain of conjuncts.
        private static void collect(
                int register, Map<Integer, Instruction> writers, Set<Integer> chain, Set<Integer> to) {
            Deque<Integer> open = new ArrayDeque<>(List.of(register));
            while (!open.isEmpty()) {
                int next = open.pop();
                if (chain.contains(next) || !to.add(next)) {
                    continue;
                }
                open.push(writers.get(next).mask());
                writers.get(next).arguments().forEach(open::push);
            }
        }

        private boolean mayFail(Instruction instruction, Map<Integer, Instruction> writers) {
            return switch (instruction.op()) {
                case CAST -> true;
                case LIKE, ILIKE ->
                    !isPattern(
                            writers.get(instruction.arguments().get(1)),
                            writers.get(instruction.arguments().get(2)));
                default -> instruction.canFail();
            };
        }

        /// Whether both are constants, and each escape in the pattern stands before a character.
        private boolean isPattern(Instruction pattern, Instruction escape) {
            if (pattern.op() != Opcode.CONST
                    || escape.op() != Opcode.CONST
                    || !(slotValues.get(pattern.immediate()).value() instanceof String text)
                    || !(slotValues.get(escape.immediate()).value() instanceof String sign)) {
                return false;
            }
            if (sign.isEmpty() || !text.contains(sign)) {
                return sign.codePointCount(0, sign.length()) <= 1;
            }
            if (sign.length() > 1) {
                return false;
            }
            for (int at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 2)) {
                if (at + 1 == text.length()) {
                    return false;
                }
            }
            return true;
        }
    }
}
