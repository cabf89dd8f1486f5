package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigInteger;
import java.util.function.IntBinaryOperator;

/// Arithmetic of network addresses, and the short texts of networks.
///
/// - Source: PostgreSQL's `network.c` and `inet_cidr_ntop.c`.
public final class Networks {
    private static final int WORD_BYTES = 2;

    private Networks() {}

    /// - Errors: 22023 for addresses of different families.
    public static Network combined(Network left, Network right, String symbol, IntBinaryOperator operator) {
        if (left.isIpv4() != right.isIpv4()) {
            throw invalid("cannot " + symbol + " inet values of different sizes");
        }
        byte[] address = left.address().clone();
        for (int index = 0; index < address.length; index++) {
            address[index] = (byte) operator.applyAsInt(address[index], right.address()[index]);
        }
        return new Network(address, Math.max(left.bits(), right.bits()));
    }

    public static Network not(Network network) {
        return new Network(combined(network, network, "NOT", (one, _) -> ~one).address(), network.bits());
    }

    /// - Errors: 22003 before the first address and behind the last.
    public static Network plus(Network network, BigInteger addend) {
        BigInteger sum = number(network).add(addend);
        if (sum.signum() < 0 || sum.bitLength() > network.maxBits()) {
            throw outOfRange();
        }
        byte[] digits = sum.toByteArray();
        byte[] address = new byte[network.address().length];
        int count = Math.min(digits.length, address.length);
        System.arraycopy(digits, digits.length - count, address, address.length - count, count);
        return new Network(address, network.bits());
    }

    private static BigInteger number(Network network) {
        return new BigInteger(1, network.address());
    }

    /// - Errors: 22023 for addresses of different families, 22003 beyond 64 bits.
    public static long difference(Network left, Network right) {
        if (left.isIpv4() != right.isIpv4()) {
            throw invalid("cannot subtract inet values of different sizes");
        }
        BigInteger difference = number(left).subtract(number(right));
        if (difference.bitLength() >= Long.SIZE) {
            throw outOfRange();
        }
        return difference.longValue();
    }

    /// - Errors: 22023 for more bits than an address has.
    ///
    /// @param bits -1 for all
    public static Network withLength(Network network, int bits) {
        int length = bits == -1 ? network.maxBits() : bits;
        if (length < 0 || length > network.maxBits()) {
            throw invalid("invalid mask length: " + bits);
        }
        return new Network(network.address(), length);
    }

    /// A network's address without what is behind its bits, and its length.
    public static String abbreviated(Network network) {
        return (network.isIpv4() ? shortened4(network) : shortened6(network)) + "/" + network.bits();
    }

    private static String shortened4(Network network) {
        int count = Math.max(1, (network.bits() + 7) / 8);
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < count; index++) {
            text.append(index > 0 ? "." : "").append(network.address()[index] & 0xFF);
        }
        return text.toString();
    }

    private static String shortened6(Network network) {
        if (network.bits() == 0) {
            return "::";
        }
        byte[] bytes = network.network().address();
        int words = Math.max(2, (network.bits() + 15) / 16);
        int gap = 0;
        int gapLength = 0;
        int start = 0;
        int length = 0;
        for (int index = 0; index < words; index++) {
            if (word(bytes, index) == 0) {
                start = length == 0 ? index : start;
                length++;
            } else if (gapLength < length) {
                gap = start;
                gapLength = length;
                // A run that is not the longest so far goes on behind this word: so PostgreSQL has it.
                length = 0;
            }
        }
        if (gapLength < length) {
            gap = start;
            gapLength = length;
        }
        boolean isMapped = gapLength != words
                && gap == 0
                && (gapLength == 6
                        || gapLength == 5 && word(bytes, 5) == 0xFFFF
                        || gapLength == 7 && bytes[14] != 0 && bytes[15] != 1);
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < words; index++) {
            if (gapLength != 0 && index >= gap && index < gap + gapLength) {
                text.append(index == gap ? ":" : "").append(index == words - 1 ? ":" : "");
            } else if (isMapped && index > 5) {
                text.append(index == 6 ? ":" : ".").append(bytes[WORD_BYTES * index] & 0xFF);
                if (index != 7 || network.bits() > 120) {
                    text.append('.').append(bytes[WORD_BYTES * index + 1] & 0xFF);
                }
            } else {
                text.append(text.isEmpty() ? "" : ":").append(Integer.toHexString(word(bytes, index)));
            }
        }
        return text.toString();
    }

    private static int word(byte[] bytes, int index) {
        return (bytes[WORD_BYTES * index] & 0xFF) << 8 | bytes[WORD_BYTES * index + 1] & 0xFF;
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }

    private static QueryException outOfRange() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "result is out of range");
    }
}
