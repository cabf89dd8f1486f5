package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.column.Batch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Streams of ours that arrow-java reads, and hands back as files.
class ArrowStreamWriterTest {
    private static final long SEED = 20_261_126;

    @TempDir
    private Path folder;

    private static WriteOptions options(Codec codec) {
        return switch (codec) {
            case PLAIN -> WriteOptions.PLAIN;
            case LZ4_FRAME -> WriteOptions.PLAIN.withLz4();
            case ZSTD -> WriteOptions.PLAIN.withZstd(3);
        };
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void arrowJavaReadsWhatIsStreamed(Codec codec) throws IOException {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        int number = 0;
        for (int rowCount : RandomBatch.EDGE_ROW_COUNTS) {
            try (Arena arena = Arena.ofConfined()) {
                Batch first = RandomBatch.of(RandomBatch.EVERY_TYPE, rowCount, 0.3, random, arena);
                Batch second = RandomBatch.of(RandomBatch.EVERY_TYPE, 65, 0, random, arena);
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                ArrowStreamWriter stream = new ArrowStreamWriter(bytes, RandomBatch.EVERY_TYPE, options(codec));
                stream.append(first);
                stream.append(second);
                stream.finish();
                List<List<Object>> expected = new ArrayList<>(RandomBatch.rows(first));
                expected.addAll(RandomBatch.rows(second));
                assertThat(throughArrowJava(bytes.toByteArray(), folder.resolve(number++ + ".arrow")))
                        .as("%d rows", rowCount)
                        .isEqualTo(expected);
            }
        }
    }

    private static List<List<Object>> throughArrowJava(byte[] stream, Path file) throws IOException {
        try (BufferAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(
                        new ByteArrayInputStream(stream), allocator, CommonsCompressionFactory.INSTANCE);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                ArrowFileWriter writer = new ArrowFileWriter(reader.getVectorSchemaRoot(), null, channel)) {
            writer.start();
            while (reader.loadNextBatch()) {
                writer.writeBatch();
            }
            writer.end();
        }
        try (ArrowFile read = ArrowFile.open(file);
                ArrowTable table = ArrowTable.of("public", "streamed", List.of(read))) {
            return RandomBatch.rows(table);
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void aStreamWithoutRowsHasItsSchema(Codec codec) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ArrowStreamWriter(bytes, RandomBatch.EVERY_TYPE, options(codec)).finish();
        try (BufferAllocator allocator = new RootAllocator();
                ArrowStreamReader reader =
                        new ArrowStreamReader(new ByteArrayInputStream(bytes.toByteArray()), allocator)) {
            assertThat(reader.getVectorSchemaRoot().getSchema().getFields()).hasSize(RandomBatch.EVERY_TYPE.size());
            assertThat(reader.loadNextBatch()).isFalse();
        }
    }
}
