package dev.quarrel.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/// A capture file of Ethernet packets: TCP, UDP and ICMP over IPv4 and IPv6, some with a VLAN tag, of 80 to 1,500 bytes
/// with most of them short or full, as of a busy link.
public final class PacketFile {
    private static final int MAGIC = 0xA1B2C3D4;
    private static final int SNAP_LENGTH = 1 << 16;
    private static final int ETHERNET = 1;
    private static final int[] SIZES = {80, 80, 80, 90, 200, 600, 1400, 1500};
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int ICMP_V6 = 58;

    private PacketFile() {}

    /// @param arguments the file; the number of packets
    public static void main(String[] arguments) throws IOException {
        Random random = new Random(1);
        byte[] bytes = new byte[1600];
        ByteBuffer packet = ByteBuffer.wrap(bytes); // network's order
        ByteBuffer header = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[0])), 1 << 20)) {
            header.putInt(MAGIC)
                    .putShort((short) 2)
                    .putShort((short) 4)
                    .putLong(0)
                    .putInt(SNAP_LENGTH)
                    .putInt(ETHERNET);
            out.write(header.array());
            long micros = 1_700_000_000_000_000L;
            for (long number = Long.parseLong(arguments[1]); number > 0; number--) {
                int size = SIZES[random.nextInt(SIZES.length)];
                fill(packet.clear(), size, random);
                micros += random.nextInt(20);
                header.clear()
                        .putInt((int) (micros / 1_000_000))
                        .putInt((int) (micros % 1_000_000))
                        .putInt(size)
                        .putInt(size);
                out.write(header.array(), 0, 16);
                out.write(bytes, 0, size);
            }
        }
    }

    private static void fill(ByteBuffer packet, int size, Random random) {
        packet.putInt(random.nextInt(50))
                .putShort((short) 1)
                .putInt(random.nextInt(50))
                .putShort((short) 2);
        if (random.nextInt(8) == 0) {
            packet.putShort((short) 0x8100).putShort((short) random.nextInt(4096));
        }
        boolean isOld = random.nextInt(5) > 0;
        int kind = random.nextInt(20);
        int protocol = kind < 14 ? TCP : kind < 19 ? UDP : isOld ? ICMP : ICMP_V6;
        packet.putShort((short) (isOld ? 0x0800 : 0x86DD));
        int begin = packet.position();
        if (isOld) {
            packet.put((byte) 0x45).put((byte) 0).putShort((short) (size - begin));
            packet.putShort((short) random.nextInt()).putShort((short) 0x4000); // not to be fragmented
            packet.put((byte) 64).put((byte) protocol).putShort((short) 0);
            packet.putInt(0x0A000000 | random.nextInt(1 << 16)).putInt(0xC0A80000 | random.nextInt(1 << 12));
        } else {
            packet.putInt(6 << 28)
                    .putShort((short) (size - begin - 40))
                    .put((byte) protocol)
                    .put((byte) 64);
            packet.putLong(0xFD00_0000_0000_0000L).putLong(random.nextInt(1 << 16));
            packet.putLong(0xFD00_0000_0000_0001L).putLong(random.nextInt(1 << 12));
        }
        switch (protocol) {
            case TCP ->
                packet.putShort((short) (1024 + random.nextInt(60_000)))
                        .putShort((short) 443)
                        .putInt(random.nextInt())
                        .putInt(random.nextInt())
                        .putShort((short) (5 << 12 | 0x10))
                        .putShort((short) 512)
                        .putInt(0);
            case UDP ->
                packet.putShort((short) (1024 + random.nextInt(60_000)))
                        .putShort((short) 53)
                        .putShort((short) Math.max(8, size - packet.position() + 4))
                        .putShort((short) 0);
            default -> packet.putInt(8 << 24);
        }
    }
}
