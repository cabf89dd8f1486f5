package dev.quarrel.core.cpu.function;

import dev.quarrel.core.collate.SortKeys;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.RecordText;
import dev.quarrel.core.pg.RowShape;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Makes keys of rows' texts, whose bytes order as the rows do: field by field, NULL behind everything else. Equal rows
/// have one key, however their numbers are written, and no key begins another.
///
/// - Errors: 22P02 for a text that is no row of that shape, or has a label that its enum has not.
/// - Threads: belongs to one kernel.
/// - Source: PostgreSQL's `rowtypes.c` (record_cmp), `arrayfuncs.c` (array_cmp).
final class RowKeys {
    private final Part row;
    private final Part rows;
    private final TextBuffer key = new TextBuffer();

    /// Appends the key of a part's text, which is a range of bytes.
    @FunctionalInterface
    private interface Part {
        void append(byte[] bytes, int start, int length, TextBuffer out);
    }

    RowKeys(RowShape.Row shape) {
        this.row = part(shape);
        this.rows = new Elements(row);
    }

    /// The key of a row; valid until the next.
    TextBuffer ofRow(TextReader text) {
        return made(row, text.bytes, text.start, text.length);
    }

    /// The key of a row; valid until the next.
    TextBuffer ofRow(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return made(row, bytes, 0, bytes.length);
    }

    /// The key of an array of rows; valid until the next.
    TextBuffer ofRows(TextReader text) {
        return made(rows, text.bytes, text.start, text.length);
    }

    private TextBuffer made(Part part, byte[] bytes, int start, int length) {
        key.clear();
        part.append(bytes, start, length, key);
        return key;
    }

    private static Part part(RowShape shape) {
        return switch (shape) {
            case RowShape.Value(PgType type, String collation) ->
                collation == null ? new ElementForm(type)::appendKey : text(type, collation);
            case RowShape.Label(List<String> labels) -> label(labels);
            case RowShape.Row(List<RowShape> fields) ->
                new Fields(fields.stream().map(RowKeys::part).toList());
            case RowShape.Elements(RowShape element) -> new Elements(part(element));
        };
    }

    private static Part text(PgType type, String collation) {
        SortKeys keys = SortKeys.of(collation);
        return (bytes, start, length, out) -> {
            int kept = length;
            while (type == PgType.BPCHAR && kept > 0 && bytes[start + kept - 1] == ' ') {
                kept--;
            }
            keys.make(new String(bytes, start, kept, StandardCharsets.UTF_8));
            out.append(MemorySegment.ofArray(keys.bytes()), 0, keys.size());
            out.append((byte) 0);
        };
    }

    private static Part label(List<String> labels) {
        Map<String, Integer> places = new HashMap<>();
        labels.forEach(label -> places.put(label, places.size()));
        return (bytes, start, length, out) -> {
            String text = new String(bytes, start, length, StandardCharsets.UTF_8);
            Integer place = places.get(text);
            if (place == null) {
                throw new QueryException(
                        SqlState.INVALID_TEXT_REPRESENTATION,
                        "\"" + text + "\" is none of the labels " + labels + " that the file names");
            }
            ElementForm.word(place, out);
        };
    }

    /// A row, `(1,"a b",)`, whose fields are read one after the other.
    private static final class Fields implements Part {
        private final List<Part> parts;
        private byte[] unquoted = new byte[64];

        Fields(List<Part> parts) {
            this.parts = parts;
        }

        @Override
        public void append(byte[] bytes, int start, int length, TextBuffer out) {
            int end = start + length;
            int at = start;
            int before = out.length();
            boolean isWell = length > 1 && bytes[at] == '(' && bytes[end - 1] == ')';
            for (int field = 0; isWell && field < parts.size(); field++) {
                at++; // behind the parenthesis or comma
                int first = at;
                int kept = 0;
                boolean isQuoted = false;
                boolean isChanged = false;
                while (at < end && (isQuoted || bytes[at] != ',' && bytes[at] != ')')) {
                    byte each = bytes[at++];
                    boolean isTwice = each == '"' && isQuoted && at < end && bytes[at] == '"';
                    if (each == '"' && !isTwice) {
                        isQuoted = !isQuoted;
                        isChanged = true;
                        continue;
                    }
                    if ((each == '\\' || isTwice) && at < end) {
                        each = bytes[at++];
                    }
                    put(kept++, each);
                }
                isWell = at < end && bytes[at] == (field == parts.size() - 1 ? ')' : ',');
                boolean isNull = at == first;
                out.append((byte) (isNull ? 1 : 0));
                if (isWell && !isNull) {
                    boolean isPlain = !isChanged && kept == at - first;
                    parts.get(field).append(isPlain ? bytes : unquoted, isPlain ? first : 0, kept, out);
                }
            }
            if (!isWell || at != end - 1) {
                out.truncate(before);
                appendAny(new String(bytes, start, length, StandardCharsets.UTF_8), out);
            }
        }

        /// A row that is written otherwise than PostgreSQL does, or is none.
        private void appendAny(String text, TextBuffer out) {
            int next = 0;
            for (String field : RecordText.parse(text, parts.size())) {
                Part part = parts.get(next++);
                out.append((byte) (field == null ? 1 : 0));
                if (field != null) {
                    byte[] own = field.getBytes(StandardCharsets.UTF_8);
                    part.append(own, 0, own.length, out);
                }
            }
        }

        private void put(int index, byte each) {
            if (index == unquoted.length) {
                unquoted = Arrays.copyOf(unquoted, 2 * index);
            }
            unquoted[index] = each;
        }
    }

    private static final class Elements implements Part {
        private final Part part;
        private final ArrayElements array = new ArrayElements();
        private final TextReader text = new TextReader();

        Elements(Part part) {
            this.part = part;
        }

        @Override
        public void append(byte[] bytes, int start, int length, TextBuffer out) {
            text.bytes = bytes;
            text.start = start;
            text.length = length;
            array.openAny(text);
            int dimensions = array.dimensions();
            List<Integer> bounds = new ArrayList<>();
            for (int dimension = 0; dimension < dimensions; dimension++) {
                bounds.add(array.length(dimension)); // which is counted from here
            }
            for (int dimension = 0; dimension < dimensions; dimension++) {
                bounds.add(array.first(dimension));
            }
            while (array.next()) {
                out.append((byte) (array.isNull ? 2 : 1));
                if (!array.isNull) {
                    part.append(array.bytes, array.start, array.length, out);
                }
            }
            out.append((byte) 0);
            out.append((byte) dimensions);
            bounds.forEach(bound -> ElementForm.word(bound, out));
        }
    }
}
