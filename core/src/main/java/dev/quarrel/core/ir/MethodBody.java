package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.lang.invoke.MethodHandle;
import java.util.List;

/// The code of a function as a method handle, which a device calls without boxing what is primitive.
///
/// @param code a parameter or result that is primitive has the type's own class: `boolean`, `int` (int16, int32,
///     dates), `long`, `float` or `double`; any other is an `Object` in canonical form, null for NULL
/// @param takesNull by argument: whether the code is called where it is NULL; otherwise the result is NULL. No
///     primitive one takes NULL
public record MethodBody(MethodHandle code, List<Boolean> takesNull) implements Callee.Body {
    public MethodBody {
        takesNull = List.copyOf(takesNull);
    }

    /// The class that stands for a type where nothing is boxed, or null where there is none.
    public static Class<?> primitive(DataType type) {
        return switch (type) {
            case DataType.Bool _ -> boolean.class;
            case DataType.Int16 _, DataType.Int32 _, DataType.Date _ -> int.class;
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> long.class;
            case DataType.Float32 _ -> float.class;
            case DataType.Float64 _ -> double.class;
            default -> null;
        };
    }

    @Override
    public Object call(Object[] arguments) {
        Object[] passed = arguments.clone();
        for (int index = 0; index < passed.length; index++) {
            if (passed[index] == null && !takesNull.get(index)) {
                return null;
            }
            if (code.type().parameterType(index) == int.class) {
                passed[index] = Math.toIntExact((Long) passed[index]);
            }
        }
        Object result;
        try {
            result = code.invokeWithArguments(passed);
        } catch (RuntimeException | Error problem) {
            throw problem;
        } catch (Throwable checked) {
            throw new CheckedFailure(checked);
        }
        return result instanceof Integer number ? Long.valueOf(number) : result;
    }

    /// What a method threw that may not be thrown everywhere.
    public static final class CheckedFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public CheckedFailure(Throwable checked) {
            super(checked);
        }

        @Override
        public String toString() {
            return getCause().toString();
        }
    }
}
