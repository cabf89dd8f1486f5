package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.Locale;

/// How the values of one field lie in a file, and which type they have for us.
sealed interface Storage {
    DataType type();

    /// How Arrow names it, with what we make of it where that differs.
    default String describe() {
        return switch (this) {
            case Fixed(DataType type) -> type.toString();
            case Widened(Widening widening, DataType type) -> widening.name().toLowerCase(Locale.ROOT) + " as " + type;
            case Bits _ -> "bool";
            case Text(DataType type, boolean largeOffsets) -> largeOffsets ? "large_" + type : type.toString();
            case TextViews(DataType type) -> type + "_view";
            case FixedBytes(int width) -> "fixed_size_binary(" + width + ") as binary";
            case Coded(DataType type, long dictionaryId, int codeBytes) ->
                (type instanceof DataType.Utf8 ? "" : type + " ") + "dictionary " + dictionaryId + ", int"
                        + 8 * codeBytes + " codes";
            case AllNull _ -> "null";
            case Listed(Storage element, PgType array, int _) ->
                "list of " + element.describe() + " as " + array.formatName();
            case UnscaledAndScale _ -> "struct(unscaled decimal(38,0), scale int16) as numeric";
            case Unreadable(String arrowType) -> arrowType + " (cannot be read)";
        };
    }

    /// Values of `type.byteWidth()` bytes, as a [dev.quarrel.core.column.FixedColumn] has them: read in place.
    record Fixed(DataType type) implements Storage {}

    /// Values of another width or unit, copied when they are read.
    record Widened(Widening widening, DataType type) implements Storage {}

    record Bits() implements Storage {
        @Override
        public DataType type() {
            return DataType.BOOL;
        }
    }

    /// Text or bytes, with offsets of 4 bytes or of 8.
    record Text(DataType type, boolean largeOffsets) implements Storage {}

    /// Text or bytes as 16-byte views into several data buffers, copied when it is read.
    record TextViews(DataType type) implements Storage {}

    /// Bytes of one length, read in place; only their offsets are made.
    record FixedBytes(int width) implements Storage {
        @Override
        public DataType type() {
            return DataType.BINARY;
        }
    }

    /// Text or bytes as codes into the file's dictionary `dictionaryId`.
    ///
    /// @param codeBytes 1, 2, 4, or 8 (narrowed when read)
    record Coded(DataType type, long dictionaryId, int codeBytes) implements Storage {}

    /// Lists, whose text is made when they are read.
    ///
    /// @param array the array type that they are
    /// @param offsetBytes 4 or 8; or -n for lists of n elements each, which have no offsets
    record Listed(Storage element, PgType array, int offsetBytes) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// A `numeric` without a declared scale: a struct of its digits and its scale, copied when it is read.
    record UnscaledAndScale() implements Storage {
        @Override
        public DataType type() {
            return DataType.NUMERIC;
        }
    }

    /// Arrow's Null type: no buffers, every row is NULL.
    record AllNull() implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// A type that cannot be read; the field is shown as text, and reading it is the error.
    record Unreadable(String arrowType) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }
}
