package dev.quarrel.cli.imports.pcap;

import java.nio.charset.StandardCharsets;

/// Writes addresses as PostgreSQL's macaddr and inet show them, without an object for each.
///
/// - Source: inet_net_ntop of BIND, which PostgreSQL has.
enum AddressText {
    MAC(17) {
        @Override
        int put(long high, long low, byte[] to, int start) {
            int at = start;
            for (int shift = 40; shift >= 0; shift -= 8) {
                to[at++] = DIGITS[(int) (low >>> shift + 4) & 0xF];
                to[at++] = DIGITS[(int) (low >>> shift) & 0xF];
                to[at++] = ':';
            }
            return at - 1;
        }
    },
    IPV4(15) {
        @Override
        int put(long high, long low, byte[] to, int start) {
            return octets((int) low, to, start);
        }
    },
    IPV6(45) {
        @Override
        int put(long high, long low, byte[] to, int start) {
            return words(high, low, to, start);
        }
    };

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int WORDS = 8; // of an address of IPv6

    /// The most that one takes, also while it is written: a separator more stands behind it for a moment.
    final int maxBytes;

    AddressText(int maxBytes) {
        this.maxBytes = maxBytes + 1;
    }

    /// @param high of IPv6 the first eight bytes
    /// @param low the last eight bytes, or all
    /// @param to has room for [#maxBytes]
    /// @return where it ends
    abstract int put(long high, long low, byte[] to, int start);

    private static int octets(int address, byte[] to, int start) {
        int at = start;
        for (int shift = 24; shift >= 0; shift -= 8) {
            int octet = address >>> shift & 0xFF;
            if (octet >= 100) {
                to[at++] = DIGITS[octet / 100];
            }
            if (octet >= 10) {
                to[at++] = DIGITS[octet / 10 % 10];
            }
            to[at++] = DIGITS[octet % 10];
            to[at++] = '.';
        }
        return at - 1;
    }

    private static int word(long high, long low, int index) {
        long half = index < WORDS / 2 ? high : low;
        return (int) (half >>> (3 - index % 4) * Short.SIZE) & 0xFFFF;
    }

    private static int words(long high, long low, byte[] to, int start) {
        int gap = -1;
        int gapLength = 1; // a single zero is none
        for (int index = 0, length = 0; index < WORDS; index++) {
            length = word(high, low, index) == 0 ? length + 1 : 0;
            if (length > gapLength) {
                gap = index - length + 1;
                gapLength = length;
            }
        }
        boolean isOld = gap == 0 && (gapLength == 6 || gapLength == 5 && word(high, low, 5) == 0xFFFF);
        int at = start;
        for (int index = 0; index < WORDS; index++) {
            boolean isInGap = gap >= 0 && index >= gap && index < gap + gapLength;
            if (index > 0 && !isInGap || index == gap) {
                to[at++] = ':';
            }
            if (isOld && index == 6) {
                return octets((int) low, to, at);
            }
            if (!isInGap) {
                at = hex(word(high, low, index), to, at);
            }
        }
        if (gap >= 0 && gap + gapLength == WORDS) {
            to[at++] = ':';
        }
        return at;
    }

    private static int hex(int word, byte[] to, int start) {
        int at = start;
        for (int shift = 12; shift >= 0; shift -= 4) {
            if (word >>> shift != 0 || shift == 0) {
                to[at++] = DIGITS[word >>> shift & 0xF];
            }
        }
        return at;
    }
}
