package dev.quarrel.core.table;

/// What a column holds in rows that say nothing of it.
///
/// @param column its name
/// @param expression as SQL shows it: of constants and functions, without columns
/// @param counter where the value is the next of a counter; null for an expression that is evaluated
public record ColumnDefault(String column, String expression, Counter counter) {
    public ColumnDefault(String column, String expression) {
        this(column, expression, null);
    }

    /// The same of a counter that has come further.
    public ColumnDefault with(Counter newCounter) {
        return new ColumnDefault(column, expression, newCounter);
    }
}
