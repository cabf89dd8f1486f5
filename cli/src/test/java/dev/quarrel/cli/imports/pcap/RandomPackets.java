package dev.quarrel.cli.imports.pcap;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/// Packets that are right more or less: of every header, with lengths that lie, cut, and with bytes that were changed.
final class RandomPackets {
    private static final int[] NEXT = {0, 43, 44, 51, 60, 135, 139, 140, 6, 17, 58, 1, 59, 47};
    private static final int[] PROTOCOLS = {6, 6, 17, 1, 58, 47};

    private final Random random;
    private final ByteBuffer to = ByteBuffer.allocate(4096);

    RandomPackets(Random random) {
        this.random = random;
    }

    /// @param link 0, 1, 101, 113 or 276
    byte[] next(int link) {
        to.clear();
        boolean isOld = random.nextBoolean();
        int type = isOld ? 0x0800 : 0x86DD;
        switch (link) {
            case 1 -> {
                noise(12);
                type = tags(random.nextInt(6) == 0 ? 0x0806 : type);
            }
            case 113 -> {
                to.putShort((short) 4).putShort((short) 1).putShort((short) (random.nextInt(4) == 0 ? 8 : 6));
                noise(8);
                type = tags(type);
            }
            case 276 -> {
                to.putShort((short) type);
                noise(9);
                to.put((byte) (random.nextInt(4) == 0 ? 0 : 6));
                noise(8);
            }
            case 0 -> {
                int family = isOld ? 2 : new int[] {10, 24, 28, 30}[random.nextInt(4)];
                to.putInt(random.nextBoolean() ? family : Integer.reverseBytes(family));
            }
            default -> {}
        }
        switch (type) {
            case 0x0800 -> ipv4();
            case 0x86DD -> ipv6();
            case 0x0806 -> {
                to.putInt(0x1_0800).putShort((short) 0x604).putShort((short) random.nextInt(3));
                noise(20 + random.nextInt(20));
            }
            default -> noise(random.nextInt(60));
        }
        if (random.nextInt(4) == 0) {
            noise(random.nextInt(20)); // fills up the frame
        }
        return damaged(Arrays.copyOf(to.array(), to.position()));
    }

    private byte[] damaged(byte[] packet) {
        int changes = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0;
        for (int change = 0; change < changes && packet.length > 0; change++) {
            packet[random.nextInt(Math.min(packet.length, 80))] = (byte) random.nextInt();
        }
        return random.nextInt(3) == 0 ? Arrays.copyOf(packet, random.nextInt(packet.length + 1)) : packet;
    }

    private void noise(int count) {
        for (int index = 0; index < count; index++) {
            to.put((byte) random.nextInt());
        }
    }

    /// @return the type behind them
    private int tags(int type) {
        for (int tags = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0; tags > 0; tags--) {
            to.putShort((short) new int[] {0x8100, 0x88A8, 0x9100}[random.nextInt(3)]);
            noise(2);
        }
        to.putShort((short) type);
        return type;
    }

    private void ipv4() {
        int begin = to.position();
        int words = random.nextInt(4) == 0 ? 4 + random.nextInt(12) : 5;
        int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        to.put((byte) (0x40 | words));
        noise(3);
        noise(2);
        to.putShort((short) (random.nextInt(4) == 0 ? random.nextInt() : 0x4000));
        to.put((byte) 64).put((byte) protocol);
        noise(10 + Math.max(0, 4 * words - 20));
        transport(protocol);
        int total = to.position() - begin;
        to.putShort(begin + 2, (short) (random.nextInt(4) == 0 ? random.nextInt(2 * total) : total));
    }

    private void ipv6() {
        int begin = to.position();
        to.putInt(6 << 28 | random.nextInt(1 << 28)).putShort((short) 0);
        int nextAt = to.position();
        to.put((byte) 0).put((byte) random.nextInt());
        for (int word = 0; word < 16; word++) {
            to.putShort((short) (random.nextBoolean() ? 0 : random.nextInt()));
        }
        int next =
                random.nextBoolean() ? PROTOCOLS[random.nextInt(PROTOCOLS.length)] : NEXT[random.nextInt(NEXT.length)];
        for (int headers = 0; headers < 5; headers++) {
            to.put(nextAt, (byte) next);
            boolean isExtension = Arrays.stream(NEXT).limit(8).anyMatch(Integer.valueOf(next)::equals);
            if (!isExtension) {
                break;
            }
            nextAt = to.position();
            int units = random.nextInt(8) == 0 ? random.nextInt(256) : random.nextInt(3);
            int size = next == 44 ? 8 : next == 51 ? 8 + 4 * units : 8 + 8 * units;
            to.put((byte) 0).put((byte) units);
            to.putShort((short) (next == 44 && random.nextInt(3) == 0 ? random.nextInt() : 0));
            noise(Math.min(size, 40) - 4);
            next = NEXT[random.nextInt(NEXT.length)];
        }
        transport(to.get(nextAt) & 0xFF);
        int length = to.position() - begin - 40;
        to.putShort(begin + 4, (short) (random.nextInt(4) == 0 ? random.nextInt(2 * length + 1) : length));
    }

    private void transport(int protocol) {
        switch (protocol) {
            case 6 -> {
                int words = random.nextInt(3) == 0 ? random.nextInt(16) : 5;
                noise(12);
                to.put((byte) (words << 4 | random.nextInt(16)));
                noise(7 + Math.max(0, 4 * words - 20));
            }
            case 17 -> noise(8);
            default -> noise(4);
        }
        noise(random.nextInt(3) == 0 ? 0 : random.nextInt(60));
    }
}
