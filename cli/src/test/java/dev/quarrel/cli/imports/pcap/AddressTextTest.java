package dev.quarrel.cli.imports.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.pg.Network;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Addresses' texts, against those of the types that have them as values.
final class AddressTextTest {
    private static String text(AddressText kind, long high, long low) {
        byte[] bytes = new byte[3 + kind.maxBytes];
        int end = kind.put(high, low, bytes, 3);
        return new String(bytes, 3, end - 3, StandardCharsets.US_ASCII);
    }

    private static String ipv6(long high, long low) {
        return new Network(ByteBuffer.allocate(16).putLong(high).putLong(low).array(), 128).host();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, ::",
        "0, 1, ::1",
        "0, 10203, ::0.1.2.3",
        "0, ffff0a000001, ::ffff:10.0.0.1",
        "1000000000000, 0, 1::",
        "20010db800000000, 1, 2001:db8::1",
        "20010db800000001, 1000100010001, 2001:db8:0:1:1:1:1:1",
        "1000000000000, 100000000, 1::1:0:0",
        "ffffffffffffffff, ffffffffffffffff, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    })
    void ipv6IsAsInetShowsIt(String high, String low, String expected) {
        long first = Long.parseUnsignedLong(high, 16);
        long second = Long.parseUnsignedLong(low, 16);
        assertThat(text(AddressText.IPV6, first, second)).isEqualTo(expected).isEqualTo(ipv6(first, second));
    }

    /// Words are 0 more often than not, so that there are gaps of every length at every place.
    @Test
    void anyAddressIsAsItsTypeShowsIt() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 100_000; round++) {
            ByteBuffer bytes = ByteBuffer.allocate(16);
            for (int word = 0; word < 8; word++) {
                int bits = random.nextInt(17);
                boolean isZero = random.nextInt(3) > 0;
                bytes.putShort((short) (isZero ? 0 : random.nextInt(8) == 0 ? -1 : random.nextInt(1 << bits)));
            }
            long high = bytes.getLong(0);
            long low = bytes.getLong(8);
            assertThat(text(AddressText.IPV6, high, low)).as("seed " + seed).isEqualTo(ipv6(high, low));
            int old = (int) low;
            assertThat(text(AddressText.IPV4, 0, old & 0xFFFF_FFFFL))
                    .as("seed " + seed)
                    .isEqualTo(new Network(ByteBuffer.allocate(4).putInt(old).array(), 32).host());
            assertThat(text(AddressText.MAC, 0, low & 0xFFFF_FFFF_FFFFL))
                    .as("seed " + seed)
                    .isEqualTo(HexFormat.ofDelimiter(":").formatHex(bytes.array(), 10, 16));
        }
    }
}
