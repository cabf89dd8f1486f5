package dev.quarrel.cuda.encode;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.Physical;
import java.math.BigDecimal;
import java.util.List;

/// A pipeline whose rows leave the device, as two programs of the device: the first marks the rows that come
/// through and counts them by tile, the second writes their values.
///
/// Both number columns and tables alike: those of `mark` are the first ones of `write`. Columns that the device writes
/// have no input (-1): the marks, and those of `written`.
///
/// @param marks the column of bits
/// @param written columns that the second program writes
/// @param outputs of the last program, in their order
/// @param window constants of the second program: the first place that is written, and how many are
/// @param first what the first program knows of a top-N, or null
public record EncodedRows(
        EncodedPipeline mark,
        EncodedPipeline write,
        int marks,
        List<Written> written,
        List<Output> outputs,
        Window window,
        First first) {

    /// A column that the device writes.
    ///
    /// @param column its number in the second program
    /// @param isTruth whether a byte a row is 0 or 1
    /// @param isNullable whether a byte a row says which values are present
    public record Written(int column, Physical physical, boolean isTruth, boolean isNullable) {}

    /// Constants that a launch sets.
    public record Window(int begin, int size) {}

    /// The first key of a top-N, whose rows the first program drops unless their keys lie within bounds.
    ///
    /// @param least that a lane holds
    /// @param greatest likewise
    /// @param low constant: the least key that stays
    /// @param high constant: the greatest
    /// @param absent constant: what NULL counts as
    public record First(SortKey key, long least, long greatest, int low, int high, int absent) {}

    /// A value of a key as the integer of its order, which lanes hold; null for one beyond them.
    public static Long ordered(Object value) {
        return switch (value) {
            case Long number -> number;
            case Float number -> ComparisonEncoder.order(number);
            case Double number -> ComparisonEncoder.order(number);
            case BigDecimal number ->
                number.unscaledValue().bitLength() > 63
                        ? null
                        : (Long) number.unscaledValue().longValue();
            default -> throw new IllegalStateException("a first key is " + value);
        };
    }

    /// Where an output's values come from; numbers are those of `written`.
    public sealed interface Output {
        /// @param dictionary of codes, otherwise null
        record Values(int written, DataType type, Dictionary dictionary) implements Output {}

        /// @param written numbers of rows of the launch
        record OfSource(int written, int input) implements Output {}

        /// @param written numbers of build rows
        record OfBuild(int written, int join, int payload) implements Output {}

        record Constant(Literal value) implements Output {}
    }
}
