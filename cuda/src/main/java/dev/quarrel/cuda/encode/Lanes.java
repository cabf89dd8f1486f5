package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;

/// Widths of what is in hand, and which types go there.
final class Lanes {
    static final int NARROW = 4;
    static final int WIDE = 8;

    private Lanes() {}

    /// Bytes that a pipeline's values need, as far as its types tell.
    static int of(Pipeline pipeline) {
        boolean isWide = false;
        List<Program> programs = new ArrayList<>(pipeline.programs());
        for (Join join : pipeline.joins()) {
            if (join.residual() != null) {
                programs.add(join.residual().program());
            }
        }
        for (Program program : programs) {
            for (Instruction instruction : program.code()) {
                isWide |= instruction.op() != Opcode.LOAD
                        && isWide(program.registers().get(instruction.result()));
                for (int argument : instruction.arguments()) {
                    isWide |= isWide(program.registers().get(argument));
                }
            }
        }
        for (int index = 0; index < pipeline.joins().size(); index++) {
            for (int key : pipeline.joins().get(index).keys()) {
                isWide |= isWide(pipeline.programs().get(index).outputTypes().get(key));
            }
        }
        List<DataType> outputs = pipeline.lastProgram().outputTypes();
        if (!(pipeline.sink() instanceof Sink.Aggregate sink)) {
            return isWide || outputs.stream().anyMatch(Lanes::isWide) ? WIDE : NARROW;
        }
        for (int key : sink.keys()) {
            isWide |= isWide(outputs.get(key));
        }
        for (AggregateCall call : sink.calls()) {
            isWide |= call.argument() >= 0
                    && (isWide(outputs.get(call.argument())) || isWide(call.kind(), outputs.get(call.argument())));
        }
        return isWide ? WIDE : NARROW;
    }

    /// Float32 is added up as float64; hashes have 64 bits, and squares may.
    private static boolean isWide(AggregateKind kind, DataType argument) {
        return switch (kind) {
            case HLL_COUNT, HLL_SKETCH, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> true;
            case COUNT -> false;
            default -> argument instanceof DataType.Float32;
        };
    }

    private static boolean isWide(RegisterType register) {
        return register instanceof RegisterType.Value(DataType type) && isWide(type);
    }

    private static boolean isWide(DataType type) {
        return switch (type) {
            case DataType.Bool _,
                    DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Float32 _,
                    DataType.Date _,
                    DataType.Utf8 _ -> false;
            default -> true;
        };
    }

    /// Whether lanes hold a type.
    static boolean hold(DataType type) {
        return switch (type) {
            case DataType.Bool _,
                    DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Decimal _ -> true;
            case DataType.Utf8 _, DataType.Numeric _, DataType.Uuid _, DataType.Interval _, DataType.Binary _ -> false;
        };
    }

    /// - Errors: [NoKernel] for a type that lanes do not hold.
    static void require(DataType type) {
        if (hold(type)) {
            return;
        }
        throw new NoKernel(
                type instanceof DataType.Utf8
                        ? "text has CUDA kernels only where it is grouped by or compared"
                        : type + " has no CUDA kernel");
    }
}
