package dev.quarrel.cli.imports.json;

import static dev.quarrel.core.column.LittleEndian.INT32;

import com.fasterxml.jackson.databind.JsonNode;
import dev.quarrel.cli.imports.RowPresence;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.csv.CsvValues;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Values of one place of some rows, on their way to a column.
///
/// - Memory: the columns live in the allocator's.
sealed interface JsonColumn {
    int EXPECTED_ROWS = 1 << 10;

    /// A value that is none of the column's type; without a stack, since it says nothing to anybody.
    final class MisfitException extends RuntimeException {
        private static final long serialVersionUID = 1;

        MisfitException(QueryException cause) {
            super(null, cause, false, false);
        }
    }

    /// - Null: JSON's null, and Java's for what is not there
    /// - Errors: [MisfitException]; the column is of no use any more.
    void append(JsonNode value);

    int rowCount();

    NestedColumn finish(Allocator memory);

    static JsonColumn of(NestedType type, Allocator memory) {
        return switch (type) {
            case NestedType.Leaf(PgType leaf, DataType _) ->
                new Values(new PgType.Declared(leaf, PgType.NO_TYPMOD), true, true, memory);
            case NestedType.Array(NestedType element, int _) -> new Lists(of(element, memory));
            case NestedType.Composite(List<NestedType.Member> members) -> new Structs(members, memory);
            default -> throw new IllegalArgumentException("no JSON is a " + type.describe());
        };
    }

    private static boolean isNull(JsonNode value) {
        return value == null || value.isNull();
    }

    private static MisfitException misfit() {
        return new MisfitException(null);
    }

    /// Values that are not taken apart.
    final class Values implements JsonColumn {
        private final PgType.Declared declared;
        private final ColumnWriter writer;
        private final CsvValues literals;
        private final boolean isNullable;

        /// @param isFound as of [CsvValues]
        Values(PgType.Declared declared, boolean isNullable, boolean isFound, Allocator memory) {
            this.declared = declared;
            this.isNullable = isNullable;
            this.literals = new CsvValues(declared, PgParse.Moment.utc(), isFound);
            this.writer = new ColumnWriter(declared.dataType(), memory);
        }

        @Override
        public void append(JsonNode value) {
            if (isNull(value)) {
                if (!isNullable) {
                    throw new QueryException(
                            SqlState.NOT_NULL_VIOLATION, "null value violates the table's not-null constraint");
                }
                writer.appendNull();
                return;
            }
            switch (declared.type()) {
                case BOOL ->
                    writer.appendBool(required(value, value.isBoolean()).booleanValue());
                case INT8 ->
                    writer.appendInt64(required(value, value.isIntegralNumber() && value.canConvertToLong())
                            .longValue());
                case FLOAT8 ->
                    writer.appendFloat64(required(value, value.isNumber()).doubleValue());
                case JSON, JSONB -> writer.appendUtf8(value.toString());
                case TEXT -> writer.appendUtf8(text(value));
                default -> appendLiteral(required(value, value.isValueNode()).asText());
            }
        }

        private void appendLiteral(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            try {
                literals.append(writer, bytes, MemorySegment.ofArray(bytes), 0, bytes.length);
            } catch (QueryException wrong) {
                throw new MisfitException(wrong);
            }
        }

        private static String text(JsonNode value) {
            String text = value.isTextual() ? value.textValue() : value.toString();
            if (text.indexOf(0) >= 0) {
                throw new QueryException(SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                        .withDetail("\\u0000 cannot be converted to text.");
            }
            return text;
        }

        private static JsonNode required(JsonNode value, boolean fits) {
            if (!fits) {
                throw misfit();
            }
            return value;
        }

        @Override
        public int rowCount() {
            return writer.rowCount();
        }

        @Override
        public NestedColumn.Values finish(Allocator memory) {
            return new NestedColumn.Values(writer.finish());
        }
    }

    final class Lists implements JsonColumn {
        private final RowPresence presence = new RowPresence(EXPECTED_ROWS);
        private final JsonColumn elements;
        private int[] ends = new int[EXPECTED_ROWS];

        Lists(JsonColumn elements) {
            this.elements = elements;
        }

        @Override
        public void append(JsonNode value) {
            if (!isNull(value)) {
                if (!value.isArray()) {
                    throw misfit();
                }
                value.forEach(elements::append);
            }
            presence.add(!isNull(value));
            if (presence.count() == ends.length) {
                ends = Arrays.copyOf(ends, ends.length * 2);
            }
            ends[presence.count()] = elements.rowCount();
        }

        @Override
        public int rowCount() {
            return presence.count();
        }

        @Override
        public NestedColumn finish(Allocator memory) {
            MemorySegment offsets = memory.allocateUnset((rowCount() + 1L) * Integer.BYTES);
            MemorySegment.copy(ends, 0, offsets, INT32, 0, rowCount() + 1);
            return new NestedColumn.Lists(rowCount(), offsets, presence.validity(memory), elements.finish(memory));
        }
    }

    final class Structs implements JsonColumn {
        private final RowPresence presence = new RowPresence(EXPECTED_ROWS);
        private final SequencedMap<String, JsonColumn> members = new LinkedHashMap<>();

        Structs(List<NestedType.Member> types, Allocator memory) {
            types.forEach(member -> members.put(member.name(), of(member.type(), memory)));
        }

        @Override
        public void append(JsonNode value) {
            if (!isNull(value)) {
                if (!value.isObject()) {
                    throw misfit();
                }
                appendMembers(members, value);
            } else {
                members.values().forEach(member -> member.append(null));
            }
            presence.add(!isNull(value));
        }

        @Override
        public int rowCount() {
            return presence.count();
        }

        @Override
        public NestedColumn finish(Allocator memory) {
            List<NestedColumn> columns = new ArrayList<>();
            members.values().forEach(member -> columns.add(member.finish(memory)));
            return new NestedColumn.Structs(rowCount(), presence.validity(memory), columns);
        }
    }

    /// Appends the members of an object.
    ///
    /// - Errors: [MisfitException] for one that has no column.
    static void appendMembers(Map<String, JsonColumn> columns, JsonNode object) {
        int found = 0;
        for (Map.Entry<String, JsonColumn> column : columns.entrySet()) {
            JsonNode value = object.get(column.getKey());
            found += value == null ? 0 : 1;
            column.getValue().append(value);
        }
        if (found < object.size()) {
            for (Map.Entry<String, JsonNode> member : object.properties()) {
                if (!columns.containsKey(member.getKey()) && !member.getValue().isNull()) {
                    throw misfit();
                }
            }
        }
    }
}
