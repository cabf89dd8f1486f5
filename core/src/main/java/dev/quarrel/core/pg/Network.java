package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// An address of a host or a network: four bytes or sixteen, and how many bits of them are the network's.
///
/// - Source: PostgreSQL's `network.c`, `inet_net_pton.c`, `inet_cidr_ntop.c`.
public record Network(byte[] address, int bits) {
    private static final int IPV4_SIZE = 4;
    private static final int IPV6_SIZE = 16;

    /// - Errors: 22P02.
    ///
    /// @param isCidr whether parts may be missing, and bits behind the network's may not be set
    public static Network parse(String text, boolean isCidr) {
        String type = isCidr ? "cidr" : "inet";
        Network network;
        if (text.indexOf(':') >= 0) {
            network = ipv6(text, type);
        } else {
            network = isCidr ? cidr4(text) : inet4(text);
        }
        if (isCidr && !network.equals(network.network())) {
            throw new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "invalid cidr value: \"" + text + "\"")
                    .withDetail("Value has bits set to right of mask.");
        }
        return network;
    }

    private static Network inet4(String text) {
        int slash = text.indexOf('/');
        String[] parts = (slash < 0 ? text : text.substring(0, slash)).split("\\.", -1);
        int bits = slash < 0 ? -1 : length(text, slash + 1, "inet");
        // A dot may stand behind the last number.
        int count = parts.length - (slash < 0 && parts[parts.length - 1].isEmpty() ? 1 : 0);
        byte[] address = new byte[IPV4_SIZE];
        if (count > IPV4_SIZE || count == 0 || bits > 32 || bits < 0 && count < IPV4_SIZE || bits / 8 > count) {
            throw PgParse.syntax("inet", text);
        }
        for (int index = 0; index < count; index++) {
            address[index] = octet(parts[index], text, "inet");
        }
        return new Network(address, bits < 0 ? 32 : bits);
    }

    /// A network without its last bytes, or in hexadecimal digits; how large it is tells its class.
    private static Network cidr4(String text) {
        int slash = text.indexOf('/');
        String written = slash < 0 ? text : text.substring(0, slash);
        byte[] address = new byte[IPV4_SIZE];
        int count;
        if (written.matches("0[xX][0-9a-fA-F]+")) {
            String digits = written.substring(2) + (written.length() % 2 == 0 ? "" : "0");
            count = digits.length() / 2;
            for (int index = 0; index < count && count <= IPV4_SIZE; index++) {
                address[index] = (byte) Integer.parseInt(digits, 2 * index, 2 * index + 2, 16);
            }
        } else {
            String[] parts = written.split("\\.", -1);
            count = parts.length;
            for (int index = 0; index < count; index++) {
                byte octet = octet(parts[index], text, "cidr");
                address[Math.min(index, IPV4_SIZE - 1)] = octet;
            }
        }
        int bits = slash < 0 ? -1 : length(text, slash + 1, "cidr");
        if (count > IPV4_SIZE || bits > 32) {
            throw PgParse.syntax("cidr", text);
        }
        if (bits < 0) {
            int first = address[0] & 0xFF;
            bits = first >= 240 ? 32 : first >= 224 ? 8 : first >= 192 ? 24 : first >= 128 ? 16 : 8;
            bits = Math.max(bits, 8 * count);
            bits = bits == 8 && first == 224 ? 4 : bits;
        }
        return new Network(address, bits);
    }

    private static byte octet(String digits, String text, String type) {
        int value = number(digits, 255);
        if (value < 0) {
            throw PgParse.syntax(type, text);
        }
        return (byte) value;
    }

    private static int length(String text, int at, String type) {
        int bits = number(text.substring(at), 1_000_000);
        if (bits < 0) {
            throw PgParse.syntax(type, text);
        }
        return bits;
    }

    /// -1 for what is no number up to `limit`.
    private static int number(String digits, int limit) {
        int value = 0;
        for (int at = 0; at < digits.length(); at++) {
            char digit = digits.charAt(at);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            value = 10 * value + digit - '0';
            if (value > limit) {
                return -1;
            }
        }
        return digits.isEmpty() ? -1 : value;
    }

    private static Network ipv6(String text, String type) {
        int slash = text.indexOf('/');
        String written = slash < 0 ? text : text.substring(0, slash);
        int bits = 128;
        if (slash >= 0) {
            String length = text.substring(slash + 1);
            bits = number(length, 128);
            if (bits < 0 || length.length() > 1 && length.startsWith("0")) {
                throw PgParse.syntax(type, text);
            }
        }
        int gap = written.indexOf("::");
        byte[] head = groups(gap < 0 ? written : written.substring(0, gap), text, type, gap < 0);
        byte[] tail = gap < 0 ? new byte[0] : groups(written.substring(gap + 2), text, type, true);
        boolean fits = gap < 0 ? head.length == IPV6_SIZE : head.length + tail.length < IPV6_SIZE;
        if (!fits) {
            throw PgParse.syntax(type, text);
        }
        byte[] address = Arrays.copyOf(head, IPV6_SIZE);
        System.arraycopy(tail, 0, address, IPV6_SIZE - tail.length, tail.length);
        return new Network(address, bits);
    }

    /// Groups of up to four hexadecimal digits; the last may be an address of four bytes.
    private static byte[] groups(String written, String text, String type, boolean isLast) {
        if (written.isEmpty()) {
            return new byte[0];
        }
        String[] parts = written.split(":", -1);
        byte[] bytes = new byte[2 * parts.length + 2];
        int size = 0;
        for (int index = 0; index < parts.length; index++) {
            String part = parts[index];
            if (isLast && index == parts.length - 1 && part.indexOf('.') >= 0) {
                String[] octets = part.split("\\.", -1);
                if (octets.length != IPV4_SIZE) {
                    throw PgParse.syntax(type, text);
                }
                for (String octet : octets) {
                    if (octet.length() > 1 && octet.startsWith("0")) {
                        throw PgParse.syntax(type, text);
                    }
                    bytes[size++] = octet(octet, text, type);
                }
            } else {
                if (part.isEmpty() || part.length() > 4 || !part.matches("[0-9a-fA-F]+")) {
                    throw PgParse.syntax(type, text);
                }
                int group = Integer.parseInt(part, 16);
                bytes[size++] = (byte) (group >>> 8);
                bytes[size++] = (byte) group;
            }
        }
        return Arrays.copyOf(bytes, size);
    }

    /// Reads what [#text] wrote.
    public static Network of(String text) {
        return text.indexOf(':') >= 0 ? ipv6(text, "inet") : inet4(text);
    }

    public boolean isIpv4() {
        return address.length == IPV4_SIZE;
    }

    public int maxBits() {
        return 8 * address.length;
    }

    /// As PostgreSQL shows it.
    ///
    /// @param withLength whether the network's size is shown where it is a single host's, too
    public String text(boolean withLength) {
        return host() + (withLength || bits < maxBits() ? "/" + bits : "");
    }

    /// The address alone.
    public String host() {
        if (isIpv4()) {
            return octets(0);
        }
        int[] words = new int[8];
        for (int index = 0; index < 8; index++) {
            words[index] = (address[2 * index] & 0xFF) << 8 | address[2 * index + 1] & 0xFF;
        }
        int gap = -1;
        int gapLength = 1;
        for (int start = 0; start < 8; start++) {
            int end = start;
            while (end < 8 && words[end] == 0) {
                end++;
            }
            if (end - start > gapLength) {
                gap = start;
                gapLength = end - start;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < 8; index++) {
            if (gap >= 0 && index >= gap && index < gap + gapLength) {
                text.append(index == gap ? ":" : "");
                continue;
            }
            text.append(index > 0 ? ":" : "");
            boolean isMapped =
                    gapLength == 6 || gapLength == 7 && words[7] != 1 || gapLength == 5 && words[5] == 0xFFFF;
            if (index == 6 && gap == 0 && isMapped) {
                return text.append(octets(12)).toString();
            }
            text.append(Integer.toHexString(words[index]));
        }
        return text.append(gap >= 0 && gap + gapLength == 8 ? ":" : "").toString();
    }

    private String octets(int from) {
        return (address[from] & 0xFF) + "." + (address[from + 1] & 0xFF) + "." + (address[from + 2] & 0xFF) + "."
                + (address[from + 3] & 0xFF);
    }

    /// The bits behind the network's as they are in `fill`.
    private Network filled(int fill, int newBits) {
        byte[] filled = address.clone();
        for (int bit = bits; bit < maxBits(); bit++) {
            int mask = 0x80 >>> (bit & 7);
            filled[bit >>> 3] = (byte) (fill == 0 ? filled[bit >>> 3] & ~mask : filled[bit >>> 3] | mask);
        }
        return new Network(filled, newBits);
    }

    public Network network() {
        return filled(0, bits);
    }

    public Network broadcast() {
        return filled(1, bits);
    }

    public Network netmask() {
        byte[] ones = new byte[address.length];
        Arrays.fill(ones, (byte) -1);
        return new Network(ones, bits).filled(0, maxBits());
    }

    public Network hostmask() {
        return new Network(new byte[address.length], bits).filled(1, maxBits());
    }

    /// Whether the first `count` bits are the same.
    private boolean agrees(Network other, int count) {
        for (int bit = 0; bit < count; bit++) {
            if (bit(bit) != other.bit(bit)) {
                return false;
            }
        }
        return true;
    }

    private int bit(int index) {
        return address[index >>> 3] >>> (~index & 7) & 1;
    }

    /// Whether it lies in `other`, or is it.
    public boolean isWithin(Network other) {
        return isIpv4() == other.isIpv4() && bits >= other.bits && agrees(other, other.bits);
    }

    public boolean overlaps(Network other) {
        return isIpv4() == other.isIpv4() && agrees(other, Math.min(bits, other.bits));
    }

    /// The smallest network that has both in it.
    ///
    /// - Errors: 22023 for addresses of different families.
    public Network merge(Network other) {
        if (isIpv4() != other.isIpv4()) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "cannot merge addresses from different families");
        }
        int common = Math.min(bits, other.bits);
        while (!agrees(other, common)) {
            common--;
        }
        return new Network(address, common).network();
    }

    void appendKey(TextBuffer out) {
        out.append((byte) (isIpv4() ? 1 : 2));
        // The network's bits count first, then how many they are, then the others.
        for (int index = 0; index < bits; index++) {
            out.append((byte) (1 + bit(index)));
        }
        out.append((byte) 0);
        for (byte each : address) {
            out.append(each);
        }
    }

    // Arrays compare by their place in memory.

    @Override
    public boolean equals(Object other) {
        return other instanceof Network network && bits == network.bits && Arrays.equals(address, network.address);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(address) + bits;
    }

    @Override
    public String toString() {
        return text(true);
    }
}
