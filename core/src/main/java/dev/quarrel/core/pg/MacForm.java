package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Addresses of network cards, of six bytes or eight.
///
/// - Source: PostgreSQL's `mac.c` and `mac8.c`.
public record MacForm(int size) implements ValueForm {
    /// The ways to write six bytes: one by one behind colons or hyphens, or of two digits in groups.
    private static final List<Pattern> SIX = List.of(
            Pattern.compile(spaced("([0-9a-f]+)", ":", 1)),
            Pattern.compile(spaced("([0-9a-f]+)", "-", 1)),
            Pattern.compile(spaced("([0-9a-f]{1,2})", ":", 3)),
            Pattern.compile(spaced("([0-9a-f]{1,2})", "-", 3)),
            Pattern.compile(spaced("([0-9a-f]{1,2})", "\\.", 2)),
            Pattern.compile(spaced("([0-9a-f]{1,2})", "-", 2)),
            Pattern.compile(spaced("([0-9a-f]{1,2})", "", 6)));

    private static String spaced(String octet, String separator, int group) {
        StringBuilder pattern = new StringBuilder("\\s*");
        for (int index = 0; index < 6; index++) {
            pattern.append(index > 0 && index % group == 0 ? separator : "").append(octet);
        }
        return pattern.append("\\s*").toString();
    }

    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        return text(size == 6 ? six(text) : eight(text));
    }

    private static byte[] six(String text) {
        String folded = text.toLowerCase(java.util.Locale.ROOT);
        for (Pattern pattern : SIX) {
            Matcher matcher = pattern.matcher(folded);
            if (matcher.matches()) {
                byte[] bytes = new byte[6];
                for (int index = 0; index < 6; index++) {
                    String octet = matcher.group(index + 1);
                    if (octet.length() > 7 || Integer.parseInt(octet, 16) > 255) {
                        throw new QueryException(
                                SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                                "invalid octet value in \"macaddr\" value: \"" + text + "\"");
                    }
                    bytes[index] = (byte) Integer.parseInt(octet, 16);
                }
                return bytes;
            }
        }
        throw PgParse.syntax("macaddr", text);
    }

    /// Pairs of digits with one separator or none behind each: six or eight of them.
    private static byte[] eight(String text) {
        byte[] bytes = new byte[8];
        int at = 0;
        while (at < text.length() && PgParse.isSpace(text.charAt(at))) {
            at++;
        }
        int count = 0;
        char spacer = 0;
        while (at + 1 < text.length()) {
            int octet = count < 8 ? octet(text, at) : -1;
            if (octet < 0) {
                throw PgParse.syntax("macaddr8", text);
            }
            bytes[count++] = (byte) octet;
            at += 2;
            char next = at < text.length() ? text.charAt(at) : 0;
            if (next == ':' || next == '-' || next == '.') {
                if (spacer != 0 && spacer != next) {
                    throw PgParse.syntax("macaddr8", text);
                }
                spacer = next;
                at++;
            }
            if ((count == 6 || count == 8) && at < text.length() && PgParse.isSpace(text.charAt(at))) {
                while (at < text.length() && PgParse.isSpace(text.charAt(at))) {
                    at++;
                }
                if (at < text.length()) {
                    throw PgParse.syntax("macaddr8", text);
                }
            }
        }
        if (count != 6 && count != 8) {
            throw PgParse.syntax("macaddr8", text);
        }
        return count == 8 ? bytes : widened(bytes);
    }

    private static int octet(String text, int at) {
        int high = text.charAt(at) < 0x80 ? Character.digit(text.charAt(at), 16) : -1;
        int low = text.charAt(at + 1) < 0x80 ? Character.digit(text.charAt(at + 1), 16) : -1;
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    /// Six bytes as eight: FF and FE stand in the middle.
    public static byte[] widened(byte[] six) {
        return new byte[] {six[0], six[1], six[2], (byte) 0xFF, (byte) 0xFE, six[3], six[4], six[5]};
    }

    /// - Errors: 22003 for eight bytes that are not six with FF and FE in the middle.
    public static byte[] narrowed(byte[] eight) {
        if (eight[3] != (byte) 0xFF || eight[4] != (byte) 0xFE) {
            throw new QueryException(
                            SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "macaddr8 data out of range to convert to macaddr")
                    .withHint("Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for"
                            + " example xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to"
                            + " macaddr.");
        }
        return new byte[] {eight[0], eight[1], eight[2], eight[5], eight[6], eight[7]};
    }

    /// The bytes of an address as it is held.
    public static byte[] bytes(String text) {
        byte[] bytes = new byte[(text.length() + 1) / 3];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) octet(text, 3 * index);
        }
        return bytes;
    }

    public static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(text.isEmpty() ? "" : ":")
                    .append(Character.forDigit(each >>> 4 & 15, 16))
                    .append(Character.forDigit(each & 15, 16));
        }
        return text.toString();
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        send(text, out);
    }

    @Override
    public void send(String text, TextBuffer out) {
        for (byte each : bytes(text)) {
            out.append(each);
        }
    }

    @Override
    public String receive(ByteBuffer in) {
        byte[] bytes = new byte[size == 8 && in.remaining() == 6 ? 6 : size];
        in.get(bytes);
        return text(bytes.length < size ? widened(bytes) : bytes);
    }
}
