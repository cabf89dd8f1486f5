package dev.quarrel.cli.imports.json;

import dev.quarrel.cli.imports.RowPresence;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.csv.CsvValues;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.Utf8Text;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Values that are not taken apart. Texts and JSON are the block's bytes, from which they are copied at once; strings
/// with escapes are decoded where they stand.
final class JsonValues implements JsonColumn {
    /// Strings, which stay as they are, or what is no number of JSON.
    private static final Pattern NON_FINITE = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|(NaN|-?Infinity)");

    private final PgType.Declared declared;
    private final boolean isNullable;
    private final boolean isFound;
    private final RowPresence presence = new RowPresence(EXPECTED_ROWS);
    private int[] starts = new int[EXPECTED_ROWS];
    private int[] lengths = new int[EXPECTED_ROWS]; // 0 where there is none
    private int[] blockRows; // null where they are the column's
    private final Map<Integer, byte[]> rewritten = new HashMap<>(); // by row

    /// @param isNullable whether rows may have nothing
    /// @param isFound as of [CsvValues]
    /// @param isInList whether its rows are elements
    JsonValues(PgType.Declared declared, boolean isNullable, boolean isFound, boolean isInList) {
        this.declared = declared;
        this.isNullable = isNullable;
        this.isFound = isFound && declared.type() != PgType.NUMERIC; // of which any number is
        this.blockRows = isInList ? new int[EXPECTED_ROWS] : null;
    }

    @Override
    public void append(int row, JsonBlock block) {
        JsonScanner scanner = block.scanner();
        byte first = JsonColumn.beginValue(scanner);
        if (first == 0) {
            return;
        }
        int start = scanner.at();
        boolean isString = first == '"';
        if (first == '{' || first == '[') {
            if (!takesAny()) {
                throw RowFailure.misfit(block.row());
            }
            scanner.value(0);
        } else {
            scanner.scalar();
        }
        if (!takes(first, block.bytes(), start)) {
            throw RowFailure.misfit(block.row());
        }
        int end = scanner.at();
        if (isString && !isJson()) {
            start++;
            end = scanner.isEscaped() ? decoded(block, start, end - 1) : end - 1;
        }
        put(row, block.row(), start, end - start);
        if (scanner.takeNonFinite() && isJson()) {
            rewritten.put(row, quoted(block.bytes(), start, end));
        }
    }

    /// JSON with NaN and infinities, of which it has none, as strings.
    private static byte[] quoted(byte[] bytes, int start, int end) {
        String text = new String(bytes, start, end - start, StandardCharsets.UTF_8);
        return NON_FINITE
                .matcher(text)
                .replaceAll(found -> found.group(1) == null ? "$0" : "\"$1\"")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static int decoded(JsonBlock block, int start, int end) {
        int to = JsonStrings.decodeInPlace(block.bytes(), start, end);
        for (int at = start; at < to; at++) {
            if (block.bytes()[at] == 0) {
                throw RowFailure.of(
                        block.row(),
                        new QueryException(SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                                .withDetail("\\u0000 cannot be converted to text."));
            }
        }
        return to;
    }

    private boolean isJson() {
        return declared.type() == PgType.JSON || declared.type() == PgType.JSONB;
    }

    private boolean takesAny() {
        return isJson() || declared.type() == PgType.TEXT;
    }

    /// Whether the type is written as a value that begins so.
    private boolean takes(byte first, byte[] bytes, int start) {
        return switch (declared.type()) {
            case BOOL -> first == 't' || first == 'f';
            case INT8 -> first == '-' && bytes[start + 1] != 'I' || first >= '0' && first <= '9';
            case FLOAT8 -> first == '-' || first >= '0' && first <= '9' || first == 'N' || first == 'I';
            default -> true;
        };
    }

    private void put(int row, int blockRow, int start, int length) {
        if (row >= starts.length) {
            int room = Math.max(row + 1, starts.length * 2);
            starts = Arrays.copyOf(starts, room);
            lengths = Arrays.copyOf(lengths, room);
            blockRows = blockRows == null ? null : Arrays.copyOf(blockRows, room);
        }
        starts[row] = start;
        lengths[row] = length;
        if (blockRows != null) {
            blockRows[row] = blockRow;
        }
        presence.addAbsent(row - presence.count());
        presence.add(true);
    }

    @Override
    public int count() {
        return presence.count();
    }

    @Override
    public void truncate(int row) {
        if (row < presence.count()) {
            Arrays.fill(starts, row, presence.count(), 0);
            Arrays.fill(lengths, row, presence.count(), 0);
            presence.truncate(row);
            rewritten.keySet().removeIf(each -> each >= row);
        }
    }

    @Override
    public NestedColumn.Values finish(int rowCount, JsonBlock block, Allocator memory) {
        if (rowCount > starts.length) {
            starts = Arrays.copyOf(starts, rowCount);
            lengths = Arrays.copyOf(lengths, rowCount);
        }
        presence.addAbsent(rowCount - presence.count());
        if (!isNullable && presence.firstAbsent() < rowCount) {
            throw RowFailure.of(
                    presence.firstAbsent(),
                    new QueryException(
                            SqlState.NOT_NULL_VIOLATION, "null value violates the table's not-null constraint"));
        }
        ColumnWriter writer = new ColumnWriter(declared.dataType(), memory, rowCount);
        if (declared.type() == PgType.TEXT || declared.type() == PgType.JSON) {
            texts(rowCount, block.bytes(), writer);
        } else {
            literals(rowCount, block.bytes(), writer);
        }
        return new NestedColumn.Values(writer.finish());
    }

    private void texts(int rowCount, byte[] bytes, ColumnWriter writer) {
        for (int row = 0; row < rowCount; row++) {
            try {
                Utf8Text.require(bytes, starts[row], lengths[row]);
            } catch (QueryException wrong) {
                throw RowFailure.of(blockRow(row), wrong);
            }
        }
        if (rewritten.isEmpty()) {
            writer.appendTexts(bytes, starts, lengths, presence.words(), rowCount);
            return;
        }
        MemorySegment source = MemorySegment.ofArray(bytes);
        for (int row = 0; row < rowCount; row++) {
            byte[] own = rewritten.get(row);
            if (own != null) {
                writer.appendUtf8(MemorySegment.ofArray(own), 0, own.length);
            } else if (presence.isPresent(row)) {
                writer.appendUtf8(source, starts[row], lengths[row]);
            } else {
                writer.appendNull();
            }
        }
    }

    private void literals(int rowCount, byte[] bytes, ColumnWriter writer) {
        MemorySegment source = MemorySegment.ofArray(bytes);
        CsvValues literals = new CsvValues(declared, PgParse.Moment.utc(), isFound);
        for (int row = 0; row < rowCount; row++) {
            int start = starts[row];
            if (!presence.isPresent(row)) {
                writer.appendNull();
            } else if (declared.type() == PgType.BOOL) {
                writer.appendBool(bytes[start] == 't');
            } else if (declared.type() == PgType.FLOAT8 && isInfinity(bytes, start)) {
                writer.appendFloat64(bytes[start] == '-' ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
            } else {
                byte[] own = rewritten.get(row);
                try {
                    if (own == null) {
                        literals.append(writer, bytes, source, start, lengths[row]);
                    } else {
                        literals.append(writer, own, MemorySegment.ofArray(own), 0, own.length);
                    }
                } catch (QueryException wrong) {
                    throw RowFailure.misfit(blockRow(row), wrong);
                }
            }
        }
    }

    private static boolean isInfinity(byte[] bytes, int start) {
        return bytes[start] == 'I' || bytes[start] == '-' && bytes[start + 1] == 'I';
    }

    private int blockRow(int row) {
        return blockRows == null ? row : blockRows[row];
    }
}
