package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Set;

/// The function that a CALL instruction calls: a row of `core.function` as a program needs it, or a function that an
/// application added.
///
/// @param id names the kernel; unique among functions, and the same in every process
/// @param name the SQL name, for EXPLAIN and error messages
/// @param arguments types of the argument registers, exactly
/// @param isStrict whether the result is NULL wherever an argument is, without a call; otherwise the kernel sees NULLs
/// @param fails the errors a row may raise
/// @param body the code of a function that an application added; null for one of ours, whose kernel a device finds by
/// its id. A callee with a body is not portable: it lives in this process alone
public record Callee(
        String id,
        String name,
        List<DataType> arguments,
        DataType result,
        boolean isStrict,
        Set<SqlState> fails,
        Body body) {
    public Callee {
        arguments = List.copyOf(arguments);
        fails = Set.copyOf(fails);
    }

    /// A function in Java over values in canonical form ([Literal]'s table; null for NULL). Any thread may call it.
    @FunctionalInterface
    public interface Body {
        Object call(Object[] arguments);
    }

    public boolean isPortable() {
        return body == null;
    }

    @Override
    public String toString() {
        return id;
    }
}
