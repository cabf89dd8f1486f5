package dev.quarrel.server.rows;

import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.OtherType;
import java.net.InetAddress;

/// The binary forms of values that are held as PostgreSQL's text of them.
///
/// - Source: PostgreSQL's `*_send` functions.
enum OtherBinary {
    /// The text itself: json, xml, enums.
    TEXT,
    JSONB,
    TIMETZ,
    POINT,
    BOX,
    MACADDR,
    NETWORK,
    CIDR,
    BITS,
    NUMBER32,
    NUMBER64,
    PG_LSN,
    OIDS;

    private static final int IPV4_FAMILY = 2;
    private static final int IPV6_FAMILY = 3;

    /// Null where a type has none here.
    static OtherBinary of(OtherType type) {
        if (type.isEnum()) {
            return TEXT;
        }
        return switch (type.oid()) {
            case 114, 142, 1790 -> TEXT;
            case 3802 -> JSONB;
            case 1266 -> TIMETZ;
            case 600 -> POINT;
            case 603 -> BOX;
            case 829, 774 -> MACADDR;
            case 869 -> NETWORK;
            case 650 -> CIDR;
            case 1560, 1562 -> BITS;
            case 28, 29 -> NUMBER32;
            case 5069 -> NUMBER64;
            case 3220 -> PG_LSN;
            case 1028 -> OIDS;
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
            case TIMETZ -> timeTz(text, out);
            case POINT, BOX -> {
                for (String number : text.replace("(", "").replace(")", "").split(",", -1)) {
                    int64(Double.doubleToRawLongBits(PgParse.float8(number)), out);
                }
            }
            case MACADDR -> {
                for (String octet : text.split(":", -1)) {
                    out.append((byte) Integer.parseInt(octet, 16));
                }
            }
            case OIDS -> oids(ArrayText.parseNested(text), out);
            case NETWORK -> network(text, false, out);
            case CIDR -> network(text, true, out);
            case BITS -> bits(text, out);
            case NUMBER32 -> int32((int) Long.parseLong(text), out);
            case NUMBER64 -> int64(Long.parseUnsignedLong(text), out);
            case PG_LSN -> {
                int slash = text.indexOf('/');
                int32(Integer.parseUnsignedInt(text, 0, slash, 16), out);
                int32(Integer.parseUnsignedInt(text, slash + 1, text.length(), 16), out);
            }
        }
    }

    /// Microseconds since midnight, and seconds west of Greenwich.
    private static void timeTz(String text, TextBuffer out) {
        int sign = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
        int64(PgParse.time(text.substring(0, sign)), out);
        int seconds = 0;
        int unit = 3600;
        for (String part : text.substring(sign + 1).split(":", -1)) {
            seconds += unit * Integer.parseInt(part);
            unit /= 60;
        }
        int32(text.charAt(sign) == '+' ? -seconds : seconds, out);
    }

    private static void oids(ArrayText.Nested array, TextBuffer out) {
        int32(array.lengths().size(), out);
        int32(array.elements().contains(null) ? 1 : 0, out);
        int32(PgType.OID.oid(), out);
        for (int dimension = 0; dimension < array.lengths().size(); dimension++) {
            int32(array.lengths().get(dimension), out);
            int32(array.firsts().get(dimension), out);
        }
        for (String element : array.elements()) {
            int32(element == null ? -1 : 4, out);
            if (element != null) {
                int32((int) Long.parseLong(element), out);
            }
        }
    }

    private static void network(String text, boolean isCidr, TextBuffer out) {
        int slash = text.indexOf('/');
        // A literal address is read without asking anybody for its name.
        byte[] address = isIpv4Mapped(text)
                ? mapped(text, slash)
                : InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash))
                        .getAddress();
        boolean isIpv4 = address.length == 4;
        out.append((byte) (isIpv4 ? IPV4_FAMILY : IPV6_FAMILY));
        out.append((byte) (slash < 0 ? address.length * 8 : Integer.parseInt(text.substring(slash + 1))));
        out.append((byte) (isCidr ? 1 : 0));
        out.append((byte) address.length);
        for (byte each : address) {
            out.append(each);
        }
    }

    /// Java takes `::ffff:1.2.3.4` for an address of four bytes.
    private static boolean isIpv4Mapped(String text) {
        return text.startsWith("::ffff:") && text.indexOf('.') > 0;
    }

    private static byte[] mapped(String text, int slash) {
        byte[] last = InetAddress.ofLiteral(text.substring("::ffff:".length(), slash < 0 ? text.length() : slash))
                .getAddress();
        byte[] address = new byte[16];
        address[10] = -1;
        address[11] = -1;
        System.arraycopy(last, 0, address, 12, 4);
        return address;
    }

    private static void bits(String text, TextBuffer out) {
        int32(text.length(), out);
        for (int at = 0; at < text.length(); at += 8) {
            int octet = 0;
            for (int bit = 0; bit < 8; bit++) {
                octet = octet << 1 | (at + bit < text.length() && text.charAt(at + bit) == '1' ? 1 : 0);
            }
            out.append((byte) octet);
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
