package dev.quarrel.core.arrow;

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
            case Text(boolean largeOffsets) -> largeOffsets ? "large_utf8" : "utf8";
            case TextViews _ -> "utf8_view";
            case Coded(long dictionaryId, int codeBytes) ->
                "dictionary " + dictionaryId + ", int" + 8 * codeBytes + " codes";
            case AllNull _ -> "null";
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

    record Text(boolean largeOffsets) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// Text as 16-byte views into several data buffers, copied when it is read.
    record TextViews() implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
        }
    }

    /// Text as codes into the file's dictionary `dictionaryId`.
    ///
    /// @param codeBytes 1, 2, 4, or 8 (narrowed when read)
    record Coded(long dictionaryId, int codeBytes) implements Storage {
        @Override
        public DataType type() {
            return DataType.UTF8;
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
