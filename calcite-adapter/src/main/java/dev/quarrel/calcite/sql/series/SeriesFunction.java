package dev.quarrel.calcite.sql.series;

import org.apache.calcite.sql.SqlNode;

/// A function of those who write SQL for time series that is an expression in PostgreSQL's own syntax.
///
/// @param least how many arguments it takes
/// @param most the same
/// @param isAggregate whether the expression is made of aggregates: what stands around the call, FILTER and OVER,
/// stands around each of them
record SeriesFunction(String name, int least, int most, boolean isAggregate, Form form) {
    /// Writes the expression.
    @FunctionalInterface
    interface Form {
        /// Null for arguments of types that the function does not take.
        SqlNode written(SeriesCall call);
    }

    static SeriesFunction of(String name, int least, int most, Form form) {
        return new SeriesFunction(name, least, most, false, form);
    }

    static SeriesFunction aggregate(String name, int least, int most, Form form) {
        return new SeriesFunction(name, least, most, true, form);
    }
}
