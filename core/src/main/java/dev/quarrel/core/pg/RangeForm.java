package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/// Ranges and multiranges, held as `[1,5)`, `empty` and `{[1,5),[7,8)}`; timestamps in them in UTC.
///
/// - Source: PostgreSQL's `rangetypes.c` and `multirangetypes.c`.
///
/// @param isMulti whether a value is any number of ranges
public record RangeForm(RangeValues values, boolean isMulti) implements ValueForm {
    private static final int EMPTY = 1;
    private static final int HAS_LOWER = 2;
    private static final int HAS_UPPER = 4;
    private static final int NO_LOWER = 8;
    private static final int NO_UPPER = 16;

    RangeForm(PgType type, boolean isMulti) {
        this(new RangeValues(type), isMulti);
    }

    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        return isMulti
                ? RangeSet.parse(text, values, moment).text()
                : RangeSet.of(values, Range.parse(text, values, moment)).rangeText();
    }

    /// The text that a session in a zone shows of a value as it is held.
    public String shown(String text, ZoneId zone) {
        RangeSet set = RangeSet.of(text, values);
        return isMulti ? set.text(zone) : set.rangeText(zone);
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        RangeSet set = RangeSet.of(text, values);
        set.ranges().forEach(each -> each.appendKey(out));
        if (isMulti || set.isEmpty()) {
            out.append((byte) 0);
        }
    }

    @Override
    public void send(String text, TextBuffer out) {
        RangeSet set = RangeSet.of(text, values);
        if (!isMulti) {
            send(set.isEmpty() ? null : set.first(), out);
            return;
        }
        KeyBytes.int32(set.ranges().size(), out);
        for (Range each : set.ranges()) {
            TextBuffer range = new TextBuffer();
            send(each, range);
            KeyBytes.int32(range.length(), out);
            for (byte next : range.toByteArray()) {
                out.append(next);
            }
        }
    }

    private void send(Range range, TextBuffer out) {
        if (range == null) {
            out.append((byte) EMPTY);
            return;
        }
        out.append((byte) ((range.hasLower() ? HAS_LOWER : 0)
                | (range.hasUpper() ? HAS_UPPER : 0)
                | (range.lower() == null ? NO_LOWER : 0)
                | (range.upper() == null ? NO_UPPER : 0)));
        if (range.lower() != null) {
            values.send(range.lower(), out);
        }
        if (range.upper() != null) {
            values.send(range.upper(), out);
        }
    }

    @Override
    public String receive(ByteBuffer bytes) {
        if (!isMulti) {
            return RangeSet.of(values, range(bytes)).rangeText();
        }
        int count = bytes.getInt();
        if (count < 0 || count > bytes.remaining()) {
            throw new QueryException(SqlState.INVALID_BINARY_REPRESENTATION, "invalid number of ranges: " + count);
        }
        List<Range> ranges = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            bytes.getInt(); // its bytes
            Range range = range(bytes);
            if (range != null) {
                ranges.add(range);
            }
        }
        return RangeSet.ofAll(values, ranges).text();
    }

    private Range range(ByteBuffer in) {
        int flags = in.get();
        if ((flags & EMPTY) != 0) {
            return null;
        }
        Object lower = (flags & NO_LOWER) == 0 ? values.receive(in) : null;
        Object upper = (flags & NO_UPPER) == 0 ? values.receive(in) : null;
        return Range.of(values, lower, (flags & HAS_LOWER) != 0, upper, (flags & HAS_UPPER) != 0);
    }

    @Override
    public boolean isEqualAsText() {
        return values.type() != PgType.NUMERIC;
    }

    @Override
    public boolean isReadInZone() {
        return values.type() == PgType.DATE || values.type() == PgType.TIMESTAMP || isShownInZone();
    }

    @Override
    public boolean isShownInZone() {
        return values.type() == PgType.TIMESTAMPTZ;
    }

    @Override
    public PgType rangeOf() {
        return values.type();
    }
}
