package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.ir.MethodBody;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// An application's method over the rows of a tile: its handle is put between readers of the arguments and a writer of
/// the result, so that primitive values are never boxed.
final class MethodKernel implements BatchFunction {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private final Callee callee;
    private final boolean[] takesNull;
    private final MethodHandle row; // (Vector, int, Arguments)void

    MethodKernel(Callee callee, MethodBody body) {
        this.callee = callee;
        this.takesNull = new boolean[body.takesNull().size()];
        for (int argument = 0; argument < takesNull.length; argument++) {
            takesNull[argument] = body.takesNull().get(argument);
        }
        try {
            this.row = overRows(body.code());
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static MethodHandle overRows(MethodHandle code) throws ReflectiveOperationException {
        MethodHandle[] readers = new MethodHandle[code.type().parameterCount()];
        for (int argument = 0; argument < readers.length; argument++) {
            readers[argument] = reader(code.type().parameterType(argument), argument);
        }
        MethodHandle read = MethodHandles.filterArguments(code, 0, readers);
        MethodType ofOne = MethodType.methodType(code.type().returnType(), Arguments.class);
        read = readers.length == 0
                ? MethodHandles.dropArguments(read, 0, Arguments.class)
                : MethodHandles.permuteArguments(read, ofOne, new int[readers.length]);
        return MethodHandles.collectArguments(writer(code.type().returnType()), 2, read);
    }

    private static MethodHandle reader(Class<?> type, int argument) throws ReflectiveOperationException {
        String name =
                switch (type.getName()) {
                    case "boolean" -> "bool";
                    case "int" -> "int32";
                    case "long" -> "int64";
                    case "float" -> "float32";
                    case "double" -> "float64";
                    default -> "value";
                };
        MethodHandle reader = LOOKUP.findVirtual(Arguments.class, name, MethodType.methodType(type, int.class));
        return MethodHandles.insertArguments(reader, 1, argument);
    }

    private static MethodHandle writer(Class<?> type) throws ReflectiveOperationException {
        MethodType wanted = MethodType.methodType(void.class, Vector.class, int.class, type);
        return type.isPrimitive()
                ? LOOKUP.findStatic(MethodKernel.class, "put", wanted)
                : LOOKUP.findStatic(MethodKernel.class, "putValue", wanted);
    }

    private static void put(Vector out, int row, boolean value) {
        Bits.set(((BoolVector) out).bits(), row, value);
    }

    private static void put(Vector out, int row, int value) {
        ((IntVector) out).values()[row] = value;
    }

    private static void put(Vector out, int row, long value) {
        ((LongVector) out).values()[row] = value;
    }

    private static void put(Vector out, int row, float value) {
        ((FloatVector) out).values()[row] = value;
    }

    private static void put(Vector out, int row, double value) {
        ((DoubleVector) out).values()[row] = value;
    }

    private static void putValue(Vector out, int row, Object value) {
        Results.set(out, row, value);
    }

    @Override
    public void compute(Arguments in, Vector out) {
        try {
            while (in.next()) {
                if (!callee.isStrict() && isLeftOut(in)) {
                    Results.set(out, in.row(), null);
                } else {
                    row.invokeExact(out, in.row(), in);
                }
            }
        } catch (Error problem) {
            throw problem;
        } catch (RuntimeException problem) {
            throw Kernels.failed(callee, problem);
        } catch (Throwable checked) {
            throw Kernels.failed(callee, new MethodBody.CheckedFailure(checked));
        }
    }

    private boolean isLeftOut(Arguments in) {
        for (int argument = 0; argument < takesNull.length; argument++) {
            if (!takesNull[argument] && in.isNull(argument)) {
                return true;
            }
        }
        return false;
    }
}
