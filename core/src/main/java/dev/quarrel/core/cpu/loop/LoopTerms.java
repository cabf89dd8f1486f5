package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.loop.FlatPipeline.Stage;
import dev.quarrel.core.cpu.loop.LoopSources.CellSource;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The values of a flat pipeline as terms of a compiled loop.
///
/// Where all that the last program does is to compute values that the loop can compute itself, the loop does.
///
/// - Errors: [NotFused] for a value that has no such term: it may be NULL, or is of no integer.
final class LoopTerms {
    private final FusedPipeline fused;
    private final LoopSources sources;
    private final Stage.Runs replaced; // or null

    /// @param sources takes the numbers that terms have; nothing has one so far
    LoopTerms(FusedPipeline fused, Sink.Aggregate sink, LoopSources sources) {
        this.fused = fused;
        this.sources = sources;
        Stage.Runs last = lastProgram();
        this.replaced = last != null && isReplaceable(last, sink) ? last : null;
    }

    /// The stage that the loop makes superfluous, or null.
    Stage.Runs replaced() {
        return replaced;
    }

    static boolean isInteger(DataType type) {
        return switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> true;
            default -> false;
        };
    }

    /// Whether 64 bits hold every value.
    static boolean isNarrow(DataType type) {
        return isInteger(type) || type instanceof DataType.Decimal(int precision, int _) && precision <= 18;
    }

    Term value(Origin origin) {
        boolean isDecimal = origin.type() instanceof DataType.Decimal && isNarrow(origin.type());
        if (!isInteger(origin.type()) && !(isDecimal && origin instanceof Origin.Input)) {
            throw new NotFused();
        }
        boolean isWide = origin.type().byteWidth() >= 8;
        return switch (origin) {
            case Origin.Input(int column, DataType type) -> cell(column, type);
            case Origin.Constant(int slot, DataType _) -> constant(slot, isWide);
            case Origin.Payload(int join, int column, DataType _) -> {
                ValueStore store = fused.table(join).payload(column);
                if (!store.isAllPresent()) {
                    throw new NotFused();
                }
                Object values =
                        switch (store) {
                            case IntStore ints -> ints.values();
                            case LongStore longs -> longs.values();
                            default -> throw new NotFused();
                        };
                yield new Term.Element(sources.array(values), buildRow(join), isWide);
            }
            case Origin.Computed(int program, int output, DataType _) ->
                replaced != null && program == replaced.program()
                        ? new Expression(replaced).term(lastProgramOutput(output))
                        : new Term.AtRow(sources.boundArray(new CellSource.Output(program, output)), isWide);
        };
    }

    private int lastProgramOutput(int output) {
        return fused.pipeline().lastProgram().outputs().get(output);
    }

    private Term constant(int slot, boolean isWide) {
        if (!(fused.slotValues().get(slot).value() instanceof Long number)) {
            throw new NotFused();
        }
        return new Term.Scalar(sources.scalar(number), isWide);
    }

    Term cell(int input, DataType type) {
        return new Term.Cell(sources.column(new CellSource.Values(input)), type.byteWidth() >= 8);
    }

    /// The place of a dense join's key, or null for another kind of join.
    Term densePlace(int join) {
        for (Stage stage : fused.stages()) {
            if (stage instanceof Stage.Matches(int number, var _, List<Origin> origins) && number == join) {
                if (!fused.table(join).isDenseInteger()
                        || !(origins.getFirst() instanceof Origin.Input(int input, DataType type))) {
                    return null;
                }
                Term key = cell(input, type);
                return new Term.Offset(
                        key,
                        new Term.Scalar(sources.scalar(fused.table(join).index().denseBase() - 1), key.isWide()));
            }
        }
        throw new IllegalStateException("no join " + join);
    }

    private Term buildRow(int join) {
        Term dense = densePlace(join);
        return dense == null
                ? match(join)
                : new Term.Element(sources.array(fused.table(join).index().denseNumbers()), dense, false);
    }

    Term match(int join) {
        return new Term.AtRow(sources.boundArray(new CellSource.Matches(join)), false);
    }

    private Stage.Runs lastProgram() {
        int last = fused.pipeline().programs().size() - 1;
        for (Stage stage : fused.stages()) {
            if (stage instanceof Stage.Runs runs && runs.program() == last) {
                return runs;
            }
        }
        return null;
    }

    /// Whether all that the last program does is to compute values that the loop can compute itself.
    private boolean isReplaceable(Stage.Runs last, Sink.Aggregate sink) {
        Program program = last.code();
        if (program.selection() != 0) {
            return false;
        }
        try {
            Expression expression = new Expression(last);
            for (AggregateCall call : sink.calls()) {
                if (call.argument() >= 0) {
                    expression.term(program.outputs().get(call.argument()));
                }
            }
            return program.code().stream()
                    .allMatch(instruction -> !instruction.canFail() || expression.used.contains(instruction.result()));
        } catch (NotFused _) {
            sources.clear(); // what the attempt has numbered is no part of the loop
            return false;
        }
    }

    private final class Expression {
        private final Stage.Runs runs;
        private final Map<Integer, Instruction> writers = new HashMap<>();
        private final Program program;
        final Set<Integer> used = new HashSet<>();

        Expression(Stage.Runs runs) {
            this.runs = runs;
            this.program = runs.code();
            program.code().forEach(instruction -> writers.put(instruction.result(), instruction));
        }

        Term term(int register) {
            Instruction made = writers.get(register);
            used.add(register);
            if (made.mask() != 0 && made.canFail()) {
                throw new NotFused(); // it acts on some rows alone
            }
            DataType type = program.valueType(register);
            if (!isInteger(type)) {
                throw new NotFused();
            }
            boolean isWide = type.byteWidth() == 8;
            return switch (made.op()) {
                case LOAD -> value(runs.inputs().get(made.immediate()));
                case CONST -> constant(made.immediate(), isWide);
                case ADD_INT16 -> call("addShort", made, false);
                case SUB_INT16 -> call("subtractShort", made, false);
                case MUL_INT16 -> call("multiplyShort", made, false);
                case ADD_INT32, ADD_INT64 -> call("add", made, isWide);
                case SUB_INT32, SUB_INT64 -> call("subtract", made, isWide);
                case MUL_INT32, MUL_INT64 -> call("multiply", made, isWide);
                case NEG_INT32, NEG_INT64 -> call("negate", made, isWide);
                case CAST -> cast(made, type);
                default -> throw new NotFused();
            };
        }

        private Term call(String method, Instruction made, boolean isWide) {
            Term right =
                    made.arguments().size() < 2 ? null : term(made.arguments().get(1));
            return new Term.Call(method, term(made.arguments().getFirst()), right, isWide);
        }

        private Term cast(Instruction made, DataType to) {
            int argument = made.arguments().getFirst();
            DataType from = program.valueType(argument);
            boolean isSmall = from instanceof DataType.Int16 || from instanceof DataType.Int32;
            if (isSmall && to instanceof DataType.Int64) {
                return new Term.Widened(term(argument));
            }
            if (from instanceof DataType.Int16 && to instanceof DataType.Int32) {
                return term(argument);
            }
            throw new NotFused();
        }
    }
}
