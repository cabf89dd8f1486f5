package dev.quarrel.server.rows;

import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.OtherType;

/// The binary forms of values that are held as PostgreSQL's text of them.
///
/// - Source: PostgreSQL's `*_send` functions.
enum OtherBinary {
    /// The text itself: xml, enums.
    TEXT,
    JSONB,
    POINT,
    BOX,
    NUMBER32,
    NUMBER64,
    PG_LSN;

    /// Null where a type has none here.
    static OtherBinary of(OtherType type) {
        if (type.isEnum()) {
            return TEXT;
        }
        return switch (type.oid()) {
            case 142, 1790 -> TEXT;
            case 600 -> POINT;
            case 603 -> BOX;
            case 28, 29 -> NUMBER32;
            case 5069 -> NUMBER64;
            case 3220 -> PG_LSN;
            default -> null;
        };
    }

    /// Appends the value whose text is `text`, as PostgreSQL writes it.
    void append(String text, TextBuffer out) {
        switch (this) {
            case TEXT -> out.append(text);
            case JSONB -> {
                out.append((byte) 1); // the form's version
                out.append(text);
            }
            case POINT, BOX -> {
                for (String number : text.replace("(", "").replace(")", "").split(",", -1)) {
                    int64(Double.doubleToRawLongBits(PgParse.float8(number)), out);
                }
            }
            case NUMBER32 -> int32((int) Long.parseLong(text), out);
            case NUMBER64 -> int64(Long.parseUnsignedLong(text), out);
            case PG_LSN -> {
                int slash = text.indexOf('/');
                int32(Integer.parseUnsignedInt(text, 0, slash, 16), out);
                int32(Integer.parseUnsignedInt(text, slash + 1, text.length(), 16), out);
            }
        }
    }

    private static void int32(int value, TextBuffer out) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.append((byte) (value >>> shift));
        }
    }

    private static void int64(long value, TextBuffer out) {
        int32((int) (value >>> 32), out);
        int32((int) value, out);
    }
}
