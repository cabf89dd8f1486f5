package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/// Takes apart values that columns hold as PostgreSQL's text, into the buffers of Arrow's lists and structs.
///
/// - Memory: buffers come from the allocator given; each value is read from the bytes where it stands.
/// - Errors: `QueryException` 0A000 for an array of other dimensions than the type has, or not counted from 1; 22P02
///   for text that is none of the type.
/// - Source: PostgreSQL's `array_out`, `record_out`, `range_out` and `multirange_out`.
abstract sealed class NestedWriter {
    private static final byte[] NULL = {'N', 'U', 'L', 'L'};
    private static final byte[] EMPTY = {'e', 'm', 'p', 't', 'y'};

    private NestedWriter() {}

    static NestedWriter of(NestedType type, Allocator memory) {
        return switch (type) {
            case NestedType.Leaf leaf -> new Values(leaf, memory);
            case NestedType.Array(NestedType element, int dimensions) -> {
                NestedWriter writer = new Elements(of(element, memory), false, memory);
                for (int dimension = 1; dimension < dimensions; dimension++) {
                    writer = new Elements(writer, true, memory);
                }
                yield writer;
            }
            case NestedType.Composite(List<NestedType.Member> members) ->
                new Members(
                        members.stream()
                                .map(member -> of(member.type(), memory))
                                .toList(),
                        memory);
            case NestedType.Range(NestedType.Leaf bound) -> new Bounds(bound, memory);
            case NestedType.Multirange(NestedType.Range range) -> new Ranges(of(range, memory), memory);
            case NestedType.Vector _ -> new Numbers(memory);
            case NestedType.Pairs _ -> throw new IllegalArgumentException("maps that come as text");
            case NestedType.Hstore _ -> new Pairs(memory);
            case NestedType.Hex _ -> new HexBytes(memory);
        };
    }

    /// Adds the nodes and buffers of a column of such values.
    static void write(
            Column column,
            NestedType type,
            List<MetadataWriter.Node> nodes,
            List<MemorySegment> buffers,
            Allocator memory) {
        Utf8Column texts =
                switch (column) {
                    case Utf8Column text -> text;
                    case DictionaryColumn coded -> PlainText.of(coded, memory);
                    case FixedColumn _, BoolColumn _ -> throw new IllegalArgumentException(column.toString());
                };
        NestedWriter writer = of(type, memory);
        TextBuffer text = new TextBuffer();
        for (int row = 0; row < texts.rowCount(); row++) {
            if (texts.validity().isPresent(row)) {
                text.clear();
                text.append(texts.data(), texts.offset(row), texts.offset(row + 1) - texts.offset(row));
                writer.append(text.array(), 0, text.length());
            } else {
                writer.appendNull();
            }
        }
        writer.finish(nodes, buffers, memory);
    }

    abstract int rowCount();

    /// Appends the value whose text is `text[from, to)`.
    abstract void append(byte[] text, int from, int to);

    abstract void appendNull();

    abstract void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory);

    private static QueryException malformed(String what, byte[] text, int from, int to) {
        return new QueryException(
                SqlState.INVALID_TEXT_REPRESENTATION,
                "malformed " + what + ": \"" + new String(text, from, to - from, StandardCharsets.UTF_8) + "\"");
    }

    private static boolean is(byte[] word, byte[] text, int from, int to) {
        boolean isWord = to - from == word.length;
        for (int index = 0; isWord && index < word.length; index++) {
            isWord = text[from + index] == word[index];
        }
        return isWord;
    }

    /// Values of one type.
    private static final class Values extends NestedWriter {
        private final PgType.Declared type;
        private final ColumnWriter writer;

        Values(NestedType.Leaf leaf, Allocator memory) {
            this.type = new PgType.Declared(leaf.type(), PgType.NO_TYPMOD);
            this.writer = new ColumnWriter(leaf.dataType(), memory);
        }

        @Override
        int rowCount() {
            return writer.rowCount();
        }

        @Override
        void appendNull() {
            writer.appendNull();
        }

        @Override
        void append(byte[] text, int from, int to) {
            if (writer.type() instanceof DataType.Utf8) {
                writer.appendUtf8(MemorySegment.ofArray(text), from, to - from);
                return;
            }
            try {
                appendParsed(new String(text, from, to - from, StandardCharsets.UTF_8));
            } catch (NumberFormatException _) {
                throw malformed("number", text, from, to);
            }
        }

        private void appendParsed(String value) {
            switch (writer.type()) {
                case DataType.Bool _ -> writer.appendBool(value.equals("t"));
                case DataType.Int16 _ -> writer.appendInt16(Short.parseShort(value));
                case DataType.Int32 _ -> writer.appendInt32(Integer.parseInt(value));
                case DataType.Int64 _ -> writer.appendInt64(Long.parseLong(value));
                case DataType.Decimal(int _, int scale) -> appendDecimal(new BigDecimal(value), scale);
                case DataType.Date _ -> writer.appendInt32(((Number) parsed(value)).intValue());
                case DataType.Time _, DataType.Timestamp _ -> writer.appendInt64(((Number) parsed(value)).longValue());
                case DataType.Float32 _ -> writer.appendFloat32(((Number) parsed(value)).floatValue());
                case DataType.Float64 _ -> writer.appendFloat64(((Number) parsed(value)).doubleValue());
                case DataType.Uuid _ -> writer.appendUuid((UUID) parsed(value));
                case DataType.Binary _ -> writer.appendBytes((Bytes) parsed(value));
                case DataType.Utf8 _, DataType.Numeric _, DataType.Interval _ ->
                    throw new IllegalStateException("no leaf is " + writer.type());
            }
        }

        private Object parsed(String value) {
            return PgParse.literal(value, type).value();
        }

        private void appendDecimal(BigDecimal value, int scale) {
            BigInteger unscaled = value.setScale(scale).unscaledValue();
            writer.appendDecimal(unscaled.shiftRight(64).longValueExact(), unscaled.longValue());
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            new NestedBuffers("", nodes, buffers, memory).addValues(writer.finish());
        }
    }

    private static void addPresence(
            Column column, List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
        new NestedBuffers("", nodes, buffers, memory).addPresence(column.validity(), column.rowCount());
    }

    /// A list's rows: which are there, and where each one's elements end.
    private static final class Ends {
        private final ColumnWriter present; // its values do not matter
        private final ColumnWriter ends;

        Ends(Allocator memory) {
            present = new ColumnWriter(DataType.BOOL, memory);
            ends = new ColumnWriter(DataType.INT32, memory);
            ends.appendInt32(0);
        }

        void end(boolean isPresent, int elementCount) {
            if (isPresent) {
                present.appendBool(true);
            } else {
                present.appendNull();
            }
            ends.appendInt32(elementCount);
        }

        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            int rowCount = present.rowCount();
            addPresence(present.finish(), nodes, buffers, memory);
            buffers.add(((FixedColumn) ends.finish()).values().asSlice(0, (rowCount + 1L) * 4));
        }
    }

    /// One dimension of arrays.
    private static final class Elements extends NestedWriter {
        private final NestedWriter element;
        private final boolean hasInner;
        private final Ends ends;
        private final TextBuffer value = new TextBuffer();

        /// @param hasInner whether the elements are the arrays' next dimension
        Elements(NestedWriter element, boolean hasInner, Allocator memory) {
            this.element = element;
            this.hasInner = hasInner;
            this.ends = new Ends(memory);
        }

        @Override
        int rowCount() {
            return ends.present.rowCount();
        }

        @Override
        void appendNull() {
            ends.end(false, element.rowCount());
        }

        @Override
        void append(byte[] text, int from, int to) {
            if (from < to && text[from] == '[') {
                throw otherDimensions();
            }
            if (to - from < 2 || text[from] != '{' || text[to - 1] != '}') {
                throw malformed("array", text, from, to);
            }
            int at = from + 1;
            while (at < to - 1) {
                if ((text[at] == '{') != hasInner) {
                    throw otherDimensions();
                }
                at = hasInner ? appendInner(text, at, to - 1) : appendElement(text, at, to - 1);
                if (at < to - 1 && text[at++] != ',') {
                    throw malformed("array", text, from, to);
                }
            }
            ends.end(true, element.rowCount());
        }

        private static QueryException otherDimensions() {
            return new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: an array of other dimensions than its column's lists have, or counted from another"
                            + " number than 1");
        }

        /// @return where the inner array ends
        private int appendInner(byte[] text, int from, int to) {
            int depth = 0;
            boolean isQuoted = false;
            for (int at = from; at < to; at++) {
                switch (text[at]) {
                    case '\\' -> at++;
                    case '"' -> isQuoted = !isQuoted;
                    case '{' -> depth += isQuoted ? 0 : 1;
                    case '}' -> depth -= isQuoted ? 0 : 1;
                    default -> {}
                }
                if (depth == 0) {
                    element.append(text, from, at + 1);
                    return at + 1;
                }
            }
            throw malformed("array", text, from, to);
        }

        /// @return where the element ends
        private int appendElement(byte[] text, int from, int to) {
            if (text[from] != '"') {
                int at = from;
                boolean isEscaped = false;
                while (at < to && text[at] != ',') {
                    isEscaped |= text[at] == '\\';
                    at++;
                }
                if (isEscaped) {
                    throw malformed("array", text, from, to); // array_out quotes what it escapes
                }
                if (is(NULL, text, from, at)) {
                    element.appendNull();
                } else {
                    element.append(text, from, at);
                }
                return at;
            }
            value.clear();
            for (int at = from + 1; at < to; at++) {
                if (text[at] == '"') {
                    element.append(value.array(), 0, value.length());
                    return at + 1;
                }
                at += text[at] == '\\' && at + 1 < to ? 1 : 0;
                value.append(text[at]);
            }
            throw malformed("array", text, from, to);
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            ends.finish(nodes, buffers, memory);
            element.finish(nodes, buffers, memory);
        }
    }

    /// Reads a field of a composite or a bound of a range: text up to a separator, parts of it in quotes; nothing at
    /// all is NULL.
    private static final class FieldText {
        private final TextBuffer value = new TextBuffer();

        /// Appends the field to `target`.
        ///
        /// @return where the separator is that ends it, or `to`
        int append(byte[] text, int from, int to, boolean endsAtBrackets, NestedWriter target) {
            value.clear();
            boolean isQuoted = false;
            int at = from;
            while (at < to) {
                byte each = text[at];
                if (isQuoted) {
                    if (each == '"' && at + 1 < to && text[at + 1] == '"') {
                        at++;
                    } else if (each == '"') {
                        isQuoted = false;
                        at++;
                        continue;
                    } else if (each == '\\' && at + 1 < to) {
                        at++;
                    }
                    value.append(text[at++]);
                } else if (each == '"') {
                    isQuoted = true;
                    at++;
                } else if (each == ',' || endsAtBrackets && (each == ')' || each == ']')) {
                    break;
                } else {
                    at += each == '\\' && at + 1 < to ? 1 : 0;
                    value.append(text[at++]);
                }
            }
            if (at == from) {
                target.appendNull();
            } else {
                target.append(value.array(), 0, value.length());
            }
            return at;
        }
    }

    /// Composites.
    private static final class Members extends NestedWriter {
        private final List<NestedWriter> members;
        private final ColumnWriter present;
        private final FieldText field = new FieldText();

        Members(List<NestedWriter> members, Allocator memory) {
            this.members = members;
            this.present = new ColumnWriter(DataType.BOOL, memory);
        }

        @Override
        int rowCount() {
            return present.rowCount();
        }

        @Override
        void appendNull() {
            present.appendNull();
            members.forEach(NestedWriter::appendNull);
        }

        @Override
        void append(byte[] text, int from, int to) {
            if (to - from < 2 || text[from] != '(' || text[to - 1] != ')') {
                throw malformed("record", text, from, to);
            }
            int at = from + 1;
            for (int index = 0; index < members.size(); index++) {
                if (index > 0 && (at >= to - 1 || text[at++] != ',')) {
                    throw malformed("record", text, from, to);
                }
                at = field.append(text, at, to - 1, false, members.get(index));
            }
            if (at != to - 1) {
                throw malformed("record", text, from, to);
            }
            present.appendBool(true);
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            addPresence(present.finish(), nodes, buffers, memory);
            members.forEach(member -> member.finish(nodes, buffers, memory));
        }
    }

    private static final class Bounds extends NestedWriter {
        private final NestedWriter lower;
        private final NestedWriter upper;
        private final ColumnWriter lowerInc;
        private final ColumnWriter upperInc;
        private final ColumnWriter empty;
        private final ColumnWriter present;
        private final FieldText field = new FieldText();

        Bounds(NestedType.Leaf bound, Allocator memory) {
            lower = of(bound, memory);
            upper = of(bound, memory);
            lowerInc = new ColumnWriter(DataType.BOOL, memory);
            upperInc = new ColumnWriter(DataType.BOOL, memory);
            empty = new ColumnWriter(DataType.BOOL, memory);
            present = new ColumnWriter(DataType.BOOL, memory);
        }

        @Override
        int rowCount() {
            return present.rowCount();
        }

        @Override
        void appendNull() {
            lower.appendNull();
            upper.appendNull();
            lowerInc.appendNull();
            upperInc.appendNull();
            empty.appendNull();
            present.appendNull();
        }

        @Override
        void append(byte[] text, int from, int to) {
            boolean isEmpty = is(EMPTY, text, from, to);
            if (isEmpty) {
                lower.appendNull();
                upper.appendNull();
            } else {
                boolean isRange = to - from >= 3
                        && (text[from] == '[' || text[from] == '(')
                        && (text[to - 1] == ']' || text[to - 1] == ')');
                int comma = isRange ? field.append(text, from + 1, to - 1, true, lower) : to;
                if (comma >= to - 1
                        || text[comma] != ','
                        || field.append(text, comma + 1, to - 1, true, upper) != to - 1) {
                    throw malformed("range", text, from, to);
                }
            }
            lowerInc.appendBool(!isEmpty && text[from] == '[');
            upperInc.appendBool(!isEmpty && text[to - 1] == ']');
            empty.appendBool(isEmpty);
            present.appendBool(true);
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            addPresence(present.finish(), nodes, buffers, memory);
            lower.finish(nodes, buffers, memory);
            upper.finish(nodes, buffers, memory);
            for (ColumnWriter flags : List.of(lowerInc, upperInc, empty)) {
                new NestedBuffers("", nodes, buffers, memory).addValues(flags.finish());
            }
        }
    }

    /// Multiranges.
    private static final class Ranges extends NestedWriter {
        private final NestedWriter range;
        private final Ends ends;

        Ranges(NestedWriter range, Allocator memory) {
            this.range = range;
            this.ends = new Ends(memory);
        }

        @Override
        int rowCount() {
            return ends.present.rowCount();
        }

        @Override
        void appendNull() {
            ends.end(false, range.rowCount());
        }

        @Override
        void append(byte[] text, int from, int to) {
            if (to - from < 2 || text[from] != '{' || text[to - 1] != '}') {
                throw malformed("multirange", text, from, to);
            }
            int start = from + 1;
            boolean isQuoted = false;
            for (int at = start; at < to - 1; at++) {
                switch (text[at]) {
                    case '\\' -> at++;
                    case '"' -> isQuoted = !isQuoted;
                    case ']', ')' -> {
                        if (!isQuoted) {
                            range.append(text, start, at + 1);
                            start = at + 2; // past the comma
                            at++;
                        }
                    }
                    default -> {}
                }
            }
            ends.end(true, range.rowCount());
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            ends.finish(nodes, buffers, memory);
            range.finish(nodes, buffers, memory);
        }
    }

    /// Vectors.
    private static final class Numbers extends NestedWriter {
        private final NestedWriter number;
        private final Ends ends;

        Numbers(Allocator memory) {
            this.number = new Values(new NestedType.Leaf(PgType.FLOAT4, DataType.FLOAT32), memory);
            this.ends = new Ends(memory);
        }

        @Override
        int rowCount() {
            return ends.present.rowCount();
        }

        @Override
        void appendNull() {
            ends.end(false, number.rowCount());
        }

        @Override
        void append(byte[] text, int from, int to) {
            if (to - from < 2 || text[from] != '[' || text[to - 1] != ']') {
                throw malformed("vector", text, from, to);
            }
            int start = from + 1;
            for (int at = start; at < to; at++) {
                if (at == to - 1 ? at > from + 1 : text[at] == ',') {
                    number.append(text, start, at);
                    start = at + 1;
                }
            }
            ends.end(true, number.rowCount());
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            ends.finish(nodes, buffers, memory);
            number.finish(nodes, buffers, memory);
        }
    }

    /// Maps of hstore.
    private static final class Pairs extends NestedWriter {
        private final NestedWriter keys;
        private final NestedWriter values;
        private final ColumnWriter entries; // its values do not matter
        private final Ends ends;
        private final TextBuffer word = new TextBuffer();

        Pairs(Allocator memory) {
            this.keys = new Values(NestedType.TEXT, memory);
            this.values = new Values(NestedType.TEXT, memory);
            this.entries = new ColumnWriter(DataType.BOOL, memory);
            this.ends = new Ends(memory);
        }

        @Override
        int rowCount() {
            return ends.present.rowCount();
        }

        @Override
        void appendNull() {
            ends.end(false, keys.rowCount());
        }

        @Override
        void append(byte[] text, int from, int to) {
            int at = from;
            while (at < to) {
                if (at > from) {
                    at = expect(", ", text, at, from, to);
                }
                at = word(text, at, to, keys);
                at = expect("=>", text, at, from, to);
                if (text[at] == 'N') {
                    at = expect("NULL", text, at, from, to);
                    values.appendNull();
                } else {
                    at = word(text, at, to, values);
                }
                entries.appendBool(true);
            }
            ends.end(true, keys.rowCount());
        }

        private static int expect(String wanted, byte[] text, int at, int from, int to) {
            for (int index = 0; index < wanted.length(); index++) {
                if (at + index >= to || text[at + index] != wanted.charAt(index)) {
                    throw malformed("hstore", text, from, to);
                }
            }
            return at + wanted.length();
        }

        private int word(byte[] text, int from, int to, NestedWriter target) {
            word.clear();
            for (int at = from + 1; at < to && text[from] == '"'; at++) {
                if (text[at] == '"') {
                    target.append(word.array(), 0, word.length());
                    return at + 1;
                }
                at += text[at] == '\\' && at + 1 < to ? 1 : 0;
                word.append(text[at]);
            }
            throw malformed("hstore", text, from, to);
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            ends.finish(nodes, buffers, memory);
            addPresence(entries.finish(), nodes, buffers, memory);
            keys.finish(nodes, buffers, memory);
            values.finish(nodes, buffers, memory);
        }
    }

    /// Bytes in hexadecimal.
    private static final class HexBytes extends NestedWriter {
        private final ColumnWriter writer;

        HexBytes(Allocator memory) {
            this.writer = new ColumnWriter(DataType.BINARY, memory);
        }

        @Override
        int rowCount() {
            return writer.rowCount();
        }

        @Override
        void appendNull() {
            writer.appendNull();
        }

        @Override
        void append(byte[] text, int from, int to) {
            byte[] bytes = new byte[(to - from) / 2];
            for (int index = 0; index < bytes.length; index++) {
                int high = Character.digit(text[from + 2 * index], 16);
                int low = Character.digit(text[from + 2 * index + 1], 16);
                if (high < 0 || low < 0) {
                    throw malformed("geometry", text, from, to);
                }
                bytes[index] = (byte) (high << 4 | low);
            }
            writer.appendUtf8(MemorySegment.ofArray(bytes), 0, bytes.length);
        }

        @Override
        void finish(List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
            new NestedBuffers("", nodes, buffers, memory).addValues(writer.finish());
        }
    }
}
