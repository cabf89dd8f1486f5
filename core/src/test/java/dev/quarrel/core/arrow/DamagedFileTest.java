package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that are cut short, garbled or something else: rows or a `QueryException` that names the file, nothing else.
class DamagedFileTest {
    @TempDir
    private Path folder;

    @Test
    void whatIsNoArrowFileIsNamedWithItsReason() throws IOException {
        Path good = write("good.arrow", WriteOptions.PLAIN);
        byte[] bytes = Files.readAllBytes(good);
        expect("missing.arrow", null, SqlState.IO_ERROR, "there is no such file");
        expect("empty.arrow", new byte[0], SqlState.IO_ERROR, "it has 0 bytes");
        expect(
                "text.arrow",
                "id,name\n1,Ann\n2,Bob\n3,Cid\n".getBytes(StandardCharsets.UTF_8),
                SqlState.DATA_CORRUPTED,
                "does not start with ARROW1");
        expect(
                "half.arrow",
                java.util.Arrays.copyOf(bytes, bytes.length / 2),
                SqlState.IO_ERROR,
                "does not end with ARROW1");
        byte[] footerLength = bytes.clone();
        footerLength[bytes.length - 7] = 0x7F;
        expect("footer.arrow", footerLength, SqlState.DATA_CORRUPTED, "its footer says to have");
        assertThatThrownBy(() -> ArrowFile.open(folder))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("it is no regular file");
    }

    private void expect(String name, byte[] content, SqlState state, String reason) throws IOException {
        Path path = folder.resolve(name);
        if (content != null) {
            Files.write(path, content);
        }
        assertThatThrownBy(() -> ArrowFile.open(path))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.state()).isEqualTo(state))
                .hasMessageContaining(path.toString())
                .hasMessageContaining(reason);
    }

    private Path write(String name, WriteOptions options) {
        Path path = folder.resolve(name);
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer =
                        ArrowFileWriter.create(path, RandomBatch.EVERY_TYPE, options.withDurable(false))) {
            Random random = new Random(1);
            writer.append(RandomBatch.of(RandomBatch.EVERY_TYPE, 100, 0.2, random, arena));
            writer.append(RandomBatch.of(RandomBatch.EVERY_TYPE, 33, 0, random, arena));
            writer.finish();
        }
        return path;
    }

    @Test
    void anyDamageGivesRowsOrAnError() throws IOException {
        damage(400);
    }

    @Test
    @Tag("nightly")
    void anyDamageGivesRowsOrAnErrorManyTimes() throws IOException {
        damage(10_000);
    }

    private void damage(int rounds) throws IOException {
        long seed = Long.getLong("quarrel.seed", System.nanoTime());
        System.out.println("DamagedFileTest seed " + seed);
        Random random = new Random(seed);
        List<byte[]> originals = List.of(
                Files.readAllBytes(write("plain.arrow", WriteOptions.PLAIN.withDictionary("few", 1))),
                Files.readAllBytes(
                        write("zstd.arrow", WriteOptions.PLAIN.withZstd(1).withDictionary("few", 2))),
                resource("lz4-linked.arrow"),
                resource("views.arrow"));
        int refused = 0;
        for (int round = 0; round < rounds; round++) {
            byte[] bytes = damaged(originals.get(round % originals.size()).clone(), random);
            Path path = folder.resolve("damaged.arrow");
            Files.write(path, bytes);
            try (ArrowFile file = ArrowFile.open(path);
                    ArrowTable table = ArrowTable.of("public", "damaged", List.of(file))) {
                if (random.nextBoolean()) {
                    table.preload(() -> true);
                }
                touch(table);
            } catch (QueryException e) {
                refused++;
                assertThat(e.getMessage()).as("seed %d round %d", seed, round).contains(path.toString());
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + " round " + round, e);
            }
        }
        assertThat(refused).isBetween(rounds / 20, rounds);
    }

    /// Reads every value of every column, as a scan would.
    private static void touch(ArrowTable table) {
        for (int batch = 0; batch < table.batchCount(); batch++) {
            for (int column = 0; column < table.schema().size(); column++) {
                try (Batch read = table.read(batch, new int[] {column})) {
                    ColumnSummarizer.summarize(read.column(0));
                }
            }
        }
    }

    private static byte[] resource(String name) throws IOException {
        try (var input = DamagedFileTest.class.getResourceAsStream(name)) {
            return input.readAllBytes();
        }
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 1 -> {
                // The end holds the footer, where a flip does most.
                int from = Math.max(0, bytes.length - 1500);
                for (int flip = random.nextInt(1, 4); flip > 0; flip--) {
                    bytes[random.nextInt(from, bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
                yield bytes;
            }
            case 2 -> {
                int start = random.nextInt(bytes.length);
                int end = Math.min(bytes.length, start + random.nextInt(1, 64));
                java.util.Arrays.fill(bytes, start, end, (byte) random.nextInt(256));
                yield bytes;
            }
            default -> {
                for (int flip = random.nextInt(1, 20); flip > 0; flip--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
                yield bytes;
            }
        };
    }

    @Test
    void aFileCutShortWhileMappedIsNamed() throws IOException {
        Schema schema = Schema.of(new Field("n", DataType.INT64, false));
        Path path = folder.resolve("cut.arrow");
        int rows = 1 << 20;
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer = ArrowFileWriter.create(path, schema, WriteOptions.PLAIN)) {
            ColumnWriter numbers = new ColumnWriter(DataType.INT64, Allocator.of(arena), rows);
            for (int row = 0; row < rows; row++) {
                numbers.appendInt64(row);
            }
            writer.append(Batch.view(schema, List.of(numbers.finish()), rows));
            writer.finish();
        }
        try (ArrowFile file = ArrowFile.openRun(path, Files.size(path));
                ArrowTable table = ArrowTable.of("public", "cut", List.of(file));
                Batch batch = table.read(0, new int[] {0})) {
            MemorySegment values = ((FixedColumn) batch.column(0)).values();
            table.checkIntact(0);
            assertThat(table.faultOf(new InternalError())).isNull();
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(4096);
            }
            table.preload(() -> true); // says nothing: nobody has asked for rows
            assertThatThrownBy(() -> {
                        try {
                            sum(values);
                        } catch (InternalError e) {
                            throw table.faultOf(e);
                        }
                    })
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.IO_ERROR))
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("cut short");
            assertThatThrownBy(() -> table.checkIntact(0)).isInstanceOf(QueryException.class);
            assertThatThrownBy(() -> table.read(0, new int[] {0}))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining("cut short");
        }
    }

    private static long sum(MemorySegment values) {
        long sum = 0;
        for (long index = 0; index < values.byteSize() / 8; index++) {
            sum += values.get(ValueLayout.JAVA_LONG_UNALIGNED, index * 8);
        }
        return sum;
    }

    @Test
    @Tag("nightly")
    void mapsMoreThanTwoGiBInOneSegment() {
        Schema schema = Schema.of(new Field("n", DataType.INT64, false));
        Path path = folder.resolve("large.arrow");
        int rows = 40 << 20;
        int batches = 8; // 2.5 GiB
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer = ArrowFileWriter.create(path, schema, WriteOptions.PLAIN.withDurable(false))) {
            MemorySegment values = arena.allocate(rows * 8L, 8);
            Batch batch = Batch.view(
                    schema,
                    List.of(new FixedColumn(
                            DataType.INT64, rows, values, dev.quarrel.core.column.Validity.allPresent())),
                    rows);
            for (int index = 0; index < batches; index++) {
                for (int row = 0; row < rows; row++) {
                    values.setAtIndex(ValueLayout.JAVA_LONG, row, (long) index * rows + row);
                }
                writer.append(batch);
            }
            assertThat(writer.finish().byteSize()).isGreaterThan(2L << 30);
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "large", List.of(file));
                Batch last = table.read(batches - 1, new int[] {0})) {
            MemorySegment values = ((FixedColumn) last.column(0)).values();
            long total = (long) batches * rows;
            assertThat(values.get(ValueLayout.JAVA_LONG_UNALIGNED, (rows - 1) * 8L))
                    .isEqualTo(total - 1);
            assertThat(sum(values)).isEqualTo((total - rows + total - 1) * rows / 2);
        }
    }
}
