package dev.quarrel.cli.imports.pcap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.pg.Network;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random packets in files of every kind, against what a plain decoder reads in them.
final class PacketDecoderTest {
    private static final int[] LINKS = {0, 1, 1, 1, 101, 113, 276};
    private static final long SECONDS = 1_700_000_000;

    @TempDir
    private Path folder;

    private final List<Map<String, Object>> expected = new ArrayList<>();

    @Test
    void packetsAreWhatAPlainDecoderReads() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            expected.clear();
            boolean isPcapng = round % 3 == 2;
            byte[] file =
                    isPcapng ? pcapng(random) : pcap(random, LINKS[round % LINKS.length], 1 + random.nextInt(900));
            Path path = write("r" + round, file, random.nextBoolean());
            assertThat(rows(1 + round % 2, path))
                    .as("seed " + seed + ", round " + round)
                    .isEqualTo(expected);
        }
    }

    /// More than a block has, so that packets lie across where blocks end.
    @Test
    void blocksFollowOneAnother() throws IOException {
        Random random = new Random(1);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(fileHeader(ByteOrder.BIG_ENDIAN, true, 1));
        int count = 6000;
        for (int packet = 0; packet < count; packet++) {
            byte[] bytes = new byte[random.nextInt(20_000)];
            bytes[0 < bytes.length ? bytes.length - 1 : 0] = 1;
            file.writeBytes(record(ByteOrder.BIG_ENDIAN, packet, 0, bytes, bytes.length));
        }
        Path path = write("long", file.toByteArray(), false);
        for (int threads = 1; threads <= 3; threads++) {
            try (ExecutorService pool = Executors.newFixedThreadPool(threads);
                    PcapSource source = new PcapSource(path, pool, threads)) {
                long packets = 0;
                long payload = 0;
                int batches = 0;
                for (Batch batch = source.next(); batch != null; batch = source.next(), batches++) {
                    try (Batch owned = batch) {
                        FixedColumn times = (FixedColumn) owned.column(0);
                        for (int row = 0; row < owned.rowCount(); row++) {
                            assertThat(times.values().get(LittleEndian.INT64, row * 8L))
                                    .isEqualTo(packets++ * 1_000_000);
                        }
                        FixedColumn lengths =
                                (FixedColumn) owned.column(owned.schema().size() - 1);
                        for (int row = 0; row < owned.rowCount(); row++) {
                            payload += lengths.values().get(LittleEndian.INT64, row * 8L);
                        }
                    }
                }
                assertThat(packets).isEqualTo(count);
                assertThat(payload).isEqualTo(file.size() - 24 - 16L * count);
                assertThat(batches).isGreaterThan(1);
            }
        }
    }

    /// Blocks that are no packets fill more than the buffer: that is not the file's end.
    @Test
    void whatIsPassedOverMayBeLong() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ByteOrder order = ByteOrder.LITTLE_ENDIAN;
        file.writeBytes(section(order));
        file.writeBytes(described(order, 1, 6));
        for (int block = 0; block < 5; block++) {
            file.writeBytes(block(order, 0xBAD, new byte[10 << 20]));
        }
        byte[] packet = new RandomPackets(new Random(1)).next(1);
        file.writeBytes(enhanced(order, 0, SECONDS * 1_000_000, packet, packet.length));
        assertThat(rows(2, write("passed", file.toByteArray(), true))).hasSize(1);
    }

    /// The file's place is that of the file, however many blocks came before.
    @Test
    void aDamagedPacketIsSaidWhereItIs() throws IOException {
        ByteOrder order = ByteOrder.LITTLE_ENDIAN;
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(fileHeader(order, false, 1));
        for (int packet = 0; packet < 50; packet++) {
            file.writeBytes(record(order, packet, 0, new byte[1_000_000], 1_000_000));
        }
        long place = file.size();
        file.writeBytes(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0, 0});
        Path path = write("damaged", file.toByteArray(), false);
        assertThatThrownBy(() -> rows(2, path))
                .isInstanceOf(QueryException.class)
                .hasMessageEndingWith("damaged.pcap\" is damaged at byte " + place + ": a packet of 2130706432 bytes");
    }

    private Path write(String name, byte[] bytes, boolean isPacked) throws IOException {
        Path path = folder.resolve(name + (isPacked ? ".pcap.gz" : ".pcap"));
        try (OutputStream out =
                isPacked ? new GZIPOutputStream(Files.newOutputStream(path)) : Files.newOutputStream(path)) {
            out.write(bytes);
        }
        return path;
    }

    private static byte[] fileHeader(ByteOrder order, boolean isNanos, int link) {
        return ByteBuffer.allocate(24)
                .order(order)
                .putInt(isNanos ? 0xA1B23C4D : 0xA1B2C3D4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65535)
                .putInt(link)
                .array();
    }

    private static byte[] record(ByteOrder order, int seconds, int fraction, byte[] packet, int wireLength) {
        return ByteBuffer.allocate(16 + packet.length)
                .order(order)
                .putInt(seconds)
                .putInt(fraction)
                .putInt(packet.length)
                .putInt(wireLength)
                .put(packet)
                .array();
    }

    private byte[] pcap(Random random, int link, int count) {
        ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        boolean isNanos = random.nextBoolean();
        RandomPackets packets = new RandomPackets(random);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(fileHeader(order, isNanos, link));
        for (int packet = 0; packet < count; packet++) {
            byte[] bytes = packets.next(link);
            int seconds = random.nextInt();
            int fraction = random.nextInt(isNanos ? 1_000_000_000 : 1_000_000);
            int wireLength = bytes.length + random.nextInt(3);
            file.writeBytes(record(order, seconds, fraction, bytes, wireLength));
            long micros = Integer.toUnsignedLong(seconds) * 1_000_000 + (isNanos ? fraction / 1000 : fraction);
            expect(bytes, link, micros, null, wireLength);
        }
        return file.toByteArray();
    }

    private static byte[] block(ByteOrder order, int type, byte[] body) {
        int size = 12 + (body.length + 3 & ~3);
        ByteBuffer block =
                ByteBuffer.allocate(size).order(order).putInt(type).putInt(size).put(body);
        return block.putInt(size - 4, size).array();
    }

    private static byte[] section(ByteOrder order) {
        return block(
                order,
                0x0A0D0D0A,
                ByteBuffer.allocate(16)
                        .order(order)
                        .putInt(0x1A2B3C4D)
                        .putLong(1)
                        .array());
    }

    /// @param digits of a second's fraction
    private static byte[] described(ByteOrder order, int link, int digits) {
        ByteBuffer body = ByteBuffer.allocate(16)
                .order(order)
                .putShort((short) link)
                .putShort((short) 0)
                .putInt(0);
        return block(
                order,
                1,
                body.putShort((short) 9).putShort((short) 1).put((byte) digits).array());
    }

    private static byte[] enhanced(ByteOrder order, int from, long ticks, byte[] packet, int wireLength) {
        return block(
                order,
                6,
                ByteBuffer.allocate(20 + packet.length)
                        .order(order)
                        .putInt(from)
                        .putInt((int) (ticks >>> 32))
                        .putInt((int) ticks)
                        .putInt(packet.length)
                        .putInt(wireLength)
                        .put(packet)
                        .array());
    }

    private byte[] pcapng(Random random) {
        RandomPackets packets = new RandomPackets(random);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        for (int sections = 1 + random.nextInt(3); sections > 0; sections--) {
            ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
            file.writeBytes(section(order));
            for (int link : LINKS) {
                file.writeBytes(described(order, link, link == 1 ? 9 : 3));
            }
            for (int packet = random.nextInt(400); packet > 0; packet--) {
                int from = random.nextInt(LINKS.length);
                byte[] bytes = packets.next(LINKS[from]);
                boolean isSimple = random.nextInt(8) == 0;
                if (isSimple) {
                    bytes = packets.next(LINKS[0]);
                    ByteBuffer body = ByteBuffer.allocate(4 + bytes.length).order(order);
                    file.writeBytes(
                            block(order, 3, body.putInt(bytes.length).put(bytes).array()));
                    expect(bytes, LINKS[0], null, 0L, bytes.length);
                } else {
                    int wireLength = bytes.length + random.nextInt(3);
                    long millis = SECONDS * 1000 + random.nextInt();
                    file.writeBytes(enhanced(
                            order, from, LINKS[from] == 1 ? millis * 1_000_000 + 999 : millis, bytes, wireLength));
                    expect(bytes, LINKS[from], millis * 1000, (long) from, wireLength);
                }
            }
        }
        return file.toByteArray();
    }

    private void expect(byte[] packet, int link, Long micros, Long from, int wireLength) {
        Map<String, Object> row = new LinkedHashMap<>(PlainDecoder.decoded(packet, link));
        row.put("timestamp", micros);
        row.put("interface_id", from);
        row.put("wire_length", (long) wireLength);
        row.values().removeIf(value -> value == null);
        expected.add(row);
    }

    private static List<Map<String, Object>> rows(int threads, Path file) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads);
                PcapSource source = new PcapSource(file, pool, threads)) {
            for (Batch batch = source.next(); batch != null; batch = source.next()) {
                try (Batch owned = batch) {
                    for (int row = 0; row < owned.rowCount(); row++) {
                        rows.add(row(owned, row));
                    }
                }
            }
        }
        return rows;
    }

    private static Map<String, Object> row(Batch batch, int row) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int column = 0; column < batch.schema().size(); column++) {
            Column all = batch.column(column);
            if (all.validity().isPresent(row)) {
                values.put(batch.schema().field(column).name(), value(all, row));
            }
        }
        return values;
    }

    private static Object value(Column column, int row) {
        return switch (column) {
            case FixedColumn fixed ->
                switch (fixed.type().byteWidth()) {
                    case 2 -> (long) fixed.values().get(LittleEndian.INT16, row * 2L);
                    case 4 -> (long) fixed.values().get(LittleEndian.INT32, row * 4L);
                    default -> fixed.values().get(LittleEndian.INT64, row * 8L);
                };
            case DictionaryColumn coded -> address(coded.dictionary().values().bytes(coded.code(row)));
            case Utf8Column text when text.type() instanceof DataType.Binary -> hex(text.bytes(row));
            case Utf8Column text -> address(text.bytes(row));
            default -> throw new IllegalArgumentException(column.toString());
        };
    }

    private static String hex(MemorySegment bytes) {
        return HexFormat.of().formatHex(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    /// In hexadecimal digits without anything between them.
    private static String address(MemorySegment bytes) {
        String text = new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
        boolean isMac = text.length() == 17 && text.charAt(2) == ':' && text.charAt(14) == ':' && !text.contains("::");
        return isMac && text.chars().filter(each -> each == ':').count() == 5
                ? text.replace(":", "")
                : HexFormat.of().formatHex(Network.of(text).address());
    }
}
