package dev.quarrel.core.cpu.function;

import java.util.Iterator;

/// A set-returning function: it gives rows of one column, and stands in FROM.
@FunctionalInterface
public interface RowsFunction {
    /// The values that one row of arguments gives, made as they are asked for.
    ///
    /// - Errors: the `QueryException` of a call that fails, from here or from the iterator.
    ///
    /// @param arguments in canonical form ([dev.quarrel.core.ir.Literal]'s table); none is null of a strict
    /// function
    Iterator<?> rows(Object[] arguments);
}
