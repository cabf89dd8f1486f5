package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.rows.BoolStore;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.FloatStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// Writes arrays of one type's values as PostgreSQL shows them by default: `{1,NULL,"a b"}`.
///
/// - Source: `array_out`.
/// - Memory: the text is reserved as it grows.
public final class ArrayWriter {
    private static final int MAX_BYTES = 1 << 29;
    private static final int CHUNK = 1 << 16;
    private static final int MAX_DIMENSIONS = 6;

    private final DataType type;
    private final Reservation reservation;
    private final TextBuffer text = new TextBuffer();
    private final TextBuffer element = new TextBuffer();
    private long reserved;
    private int elementsAt; // where they begin in `text`

    public ArrayWriter(DataType type, Reservation reservation) {
        this.type = type;
        this.reservation = reservation;
    }

    public MemorySegment segment() {
        return MemorySegment.ofArray(text.array());
    }

    public int length() {
        return text.length();
    }

    /// Forgets what was written.
    public void clear() {
        text.clear();
        elementsAt = 0;
    }

    void open() {
        open("");
    }

    /// @param bounds what stands in front of the braces
    private void open(String bounds) {
        text.clear();
        text.appendAscii(bounds);
        text.append('{');
        elementsAt = text.length();
    }

    void close() {
        text.append('}');
    }

    /// Makes the array of rows `rows[from]` to `rows[end - 1]` of a store.
    void write(ValueStore values, int[] rows, int from, int end) {
        open();
        for (int index = from; index < end; index++) {
            add(values, rows[index]);
        }
        close();
    }

    /// Makes an array of arrays, given as texts, of rows `rows[from]` to `rows[end - 1]`.
    ///
    /// - Errors: 22004 for NULL, 2202E for an empty array or one of other dimensions than the first, 54000 for too
    ///   many dimensions.
    /// - Source: PostgreSQL's accumArrayResultArr.
    void writeNested(TextStore arrays, int[] rows, int from, int end) {
        ArrayText.Nested first = null;
        for (int index = from; index < end; index++) {
            int row = rows[index];
            if (!arrays.isPresent(row)) {
                throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "cannot accumulate null arrays");
            }
            byte[] bytes = new byte[arrays.length(row)];
            MemorySegment.ofArray(bytes).copyFrom(arrays.bytes(row).asSlice(arrays.start(row), bytes.length));
            String array = new String(bytes, StandardCharsets.UTF_8);
            ArrayText.Nested read = ArrayText.parseNested(array);
            if (first == null) {
                open(bounds(read, end - from));
                first = read;
            } else if (!read.lengths().equals(first.lengths()) || !read.firsts().equals(first.firsts())) {
                throw new QueryException(
                        SqlState.ARRAY_SUBSCRIPT_ERROR, "cannot accumulate arrays of different dimensionality");
            }
            separate();
            int start = array.startsWith("[") ? array.indexOf('=') + 1 : 0;
            text.append(MemorySegment.ofArray(bytes), start, bytes.length - start);
            account();
        }
        close();
    }

    private static String bounds(ArrayText.Nested array, int count) {
        int dimensions = array.lengths().size();
        if (dimensions == 0) {
            throw new QueryException(SqlState.ARRAY_SUBSCRIPT_ERROR, "cannot accumulate empty arrays");
        }
        if (dimensions == MAX_DIMENSIONS) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "number of array dimensions (" + (dimensions + 1) + ") exceeds the maximum allowed ("
                            + MAX_DIMENSIONS + ")");
        }
        if (array.firsts().stream().allMatch(number -> number == 1)) {
            return "";
        }
        StringBuilder bounds = new StringBuilder("[1:" + count + "]");
        for (int dimension = 0; dimension < dimensions; dimension++) {
            int number = array.firsts().get(dimension);
            bounds.append("[" + number + ":" + (number + array.lengths().get(dimension) - 1) + "]");
        }
        return bounds.append('=').toString();
    }

    /// Adds a row of a store; a negative one is NULL.
    public void add(ValueStore values, int row) {
        if (row < 0 || !values.isPresent(row)) {
            addNull();
            return;
        }
        element.clear();
        appendElement(values, row);
        addElement();
    }

    void addNull() {
        separate();
        text.appendAscii("NULL");
        account();
    }

    void addFloat(double value) {
        element.clear();
        PgText.appendFloat8(value, element);
        addElement();
    }

    void addInterval(IntervalMath value) {
        element.clear();
        PgText.appendInterval(value.calendar(), value.micros, element);
        addElement();
    }

    /// Adds a value that is a word: an integer, a date or a time.
    void addWord(long word) {
        element.clear();
        appendWord(word);
        addElement();
    }

    private void addElement() {
        separate();
        ArrayText.appendElement(element.array(), element.length(), text);
        account();
    }

    private void separate() {
        if (text.length() > elementsAt) {
            text.append(',');
        }
    }

    /// The buffer doubles when it is full.
    private void account() {
        long held = 2L * (text.length() + element.length()) + CHUNK;
        if (held > reserved) {
            if (text.length() > MAX_BYTES) {
                throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                        .withDetail("An array of more than " + MAX_BYTES + " bytes would have to be held.");
            }
            long more = Math.max(CHUNK, reserved);
            reservation.grow(more);
            reserved += more;
        }
    }

    private void appendElement(ValueStore values, int row) {
        switch (values) {
            case BoolStore bools -> PgText.appendBool(bools.get(row), element);
            case IntStore ints -> appendWord(ints.values()[row]);
            case LongStore longs -> appendWord(longs.values()[row]);
            case FloatStore floats -> PgText.appendFloat4(floats.values()[row], element);
            case DoubleStore doubles -> PgText.appendFloat8(doubles.values()[row], element);
            case DecimalStore numbers -> appendWide(numbers, row);
            case TextStore texts -> {
                if (type instanceof DataType.Binary) {
                    PgText.appendBytea(texts.bytes(row), texts.start(row), texts.length(row), element);
                } else {
                    element.append(texts.bytes(row), texts.start(row), texts.length(row));
                }
            }
        }
    }

    private void appendWord(long word) {
        switch (type) {
            case DataType.Date _ -> PgText.appendDate((int) word, element);
            case DataType.Time _ -> PgText.appendTime(word, element);
            case DataType.Timestamp(boolean withZone) -> {
                if (withZone) {
                    PgText.appendTimestampTz(word, 0, element);
                } else {
                    PgText.appendTimestamp(word, element);
                }
            }
            default -> PgText.appendInt(word, element);
        }
    }

    private void appendWide(DecimalStore values, int row) {
        long high = values.high()[row];
        long low = values.low()[row];
        switch (type) {
            case DataType.Uuid _ -> PgText.appendUuid(high, low, element);
            case DataType.Interval _ -> PgText.appendInterval(low, high, element);
            case DataType.Decimal(int _, int scale) -> PgText.appendDecimal(high, low, scale, element);
            default -> PgText.appendDecimal(high, low, values.scale()[row], element);
        }
    }
}
