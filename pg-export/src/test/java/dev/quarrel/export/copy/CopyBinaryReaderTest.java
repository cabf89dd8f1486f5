package dev.quarrel.export.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Streams made here: whole, cut into pieces, cut short, and with flipped bytes.
final class CopyBinaryReaderTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final List<PgType> TYPES = List.of(
            PgType.INT4,
            PgType.TEXT,
            PgType.BOOL,
            PgType.NUMERIC,
            PgType.FLOAT8,
            PgType.DATE,
            PgType.TIMESTAMP,
            PgType.CHAR,
            PgType.OTHER,
            PgType.INT4_ARRAY,
            PgType.NUMERIC);
    private static final List<DataType> TARGETS = List.of(
            DataType.INT32,
            DataType.UTF8,
            DataType.BOOL,
            new DataType.Decimal(20, 4),
            DataType.FLOAT64,
            DataType.DATE,
            DataType.TIMESTAMP,
            DataType.UTF8,
            DataType.UTF8,
            DataType.UTF8,
            DataType.NUMERIC);

    private final Random random = new Random(SEED);

    private byte[] stream(int rowCount) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write("PGCOPY\n".getBytes(StandardCharsets.ISO_8859_1));
        out.write(new byte[] {(byte) 0xFF, '\r', '\n', 0});
        out.writeInt(0);
        int extension = random.nextInt(3);
        out.writeInt(extension);
        out.write(new byte[extension]);
        for (int row = 0; row < rowCount; row++) {
            out.writeShort(TYPES.size());
            for (PgType type : TYPES) {
                if (random.nextInt(5) == 0) {
                    out.writeInt(-1);
                } else {
                    writeField(type, out);
                }
            }
        }
        out.writeShort(-1);
        return bytes.toByteArray();
    }

    private void writeField(PgType type, DataOutputStream out) throws IOException {
        switch (type) {
            case INT4 -> {
                out.writeInt(4);
                out.writeInt(random.nextInt());
            }
            case DATE -> {
                out.writeInt(4);
                out.writeInt(random.nextInt(1_000_000));
            }
            case FLOAT8, TIMESTAMP -> {
                out.writeInt(8);
                out.writeLong(random.nextLong(1L << 55));
            }
            case BOOL, CHAR -> {
                out.writeInt(1);
                out.writeByte(random.nextInt(2));
            }
            case NUMERIC -> {
                int digits = random.nextInt(4);
                out.writeInt(8 + 2 * digits);
                out.writeShort(digits);
                out.writeShort(digits - 1);
                out.writeShort(random.nextBoolean() ? 0 : 0x4000);
                out.writeShort(random.nextInt(5));
                for (int digit = 0; digit < digits; digit++) {
                    out.writeShort(1 + random.nextInt(9999));
                }
            }
            default -> {
                byte[] text = "ä".repeat(random.nextInt(20)).getBytes(StandardCharsets.UTF_8);
                out.writeInt(text.length);
                out.write(text);
            }
        }
    }

    private static CopyBinaryReader reader(boolean nullable) {
        List<FieldReader> readers = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            names.add("c" + column);
            readers.add(FieldReader.of(TYPES.get(column), TARGETS.get(column), "t.c" + column, false, Unfit.DEFAULT));
        }
        Boolean[] all = new Boolean[names.size()];
        Arrays.fill(all, nullable);
        return new CopyBinaryReader("public.t", names, readers, List.of(all));
    }

    private static ColumnWriter[] writers(Arena arena) {
        return TARGETS.stream()
                .map(type -> new ColumnWriter(type, Allocator.of(arena)))
                .toArray(ColumnWriter[]::new);
    }

    private static String text(ColumnWriter[] writers) {
        TextBuffer out = new TextBuffer();
        for (ColumnWriter writer : writers) {
            Column column = writer.finish();
            for (int row = 0; row < column.rowCount(); row++) {
                if (column.validity().isPresent(row)) {
                    PgText.append(column, row, out);
                } else {
                    out.appendAscii("NULL");
                }
                out.append(';');
            }
        }
        return out.toString();
    }

    @Test
    void piecesOfAnySizeGiveTheSameRows() throws IOException {
        System.out.println("CopyBinaryReaderTest: -Dquarrel.seed=" + SEED);
        for (int rowCount : new int[] {0, 1, 2, 31, 200}) {
            byte[] stream = stream(rowCount);
            String whole = null;
            for (int largest : new int[] {Integer.MAX_VALUE, 1, 7, 100}) {
                try (Arena arena = Arena.ofConfined()) {
                    CopyBinaryReader reader = reader(true);
                    ColumnWriter[] writers = writers(arena);
                    int rows = 0;
                    for (int at = 0; at < stream.length; ) {
                        int size = largest == Integer.MAX_VALUE ? stream.length : 1 + random.nextInt(largest);
                        int end = Math.min(stream.length, at + size);
                        rows += reader.accept(Arrays.copyOfRange(stream, at, end), writers);
                        at = end;
                    }
                    reader.finish();
                    assertThat(rows).isEqualTo(rowCount);
                    String text = text(writers);
                    whole = whole == null ? text : whole;
                    assertThat(text).isEqualTo(whole);
                }
            }
        }
    }

    /// Rows handed on as they came, and read again in the middle of a stream, are the same rows.
    @Test
    void rowsMayBeKeptAndReadLater() throws IOException {
        byte[] stream = stream(300);
        for (int largest : new int[] {Integer.MAX_VALUE, 5, 1000}) {
            try (Arena arena = Arena.ofConfined()) {
                ColumnWriter[] expected = writers(arena);
                reader(true).accept(stream, expected);
                ByteArrayOutputStream kept = new ByteArrayOutputStream();
                List<Integer> ends = new ArrayList<>();
                CopyBinaryReader reader = reader(true);
                int rows = 0;
                for (int at = 0; at < stream.length; ) {
                    int size = largest == Integer.MAX_VALUE ? stream.length : 1 + random.nextInt(largest);
                    CopyFrames frames = new CopyFrames();
                    frames.clear(stream);
                    frames.add(at, Math.min(stream.length, at + size));
                    rows += reader.accept(frames, (bytes, start, end) -> {
                        kept.writeBytes(new byte[] {0, (byte) TYPES.size()});
                        kept.write(bytes, start, end - start);
                        ends.add(kept.size());
                    });
                    at = frames.end(0);
                }
                reader.finish();
                assertThat(rows).isEqualTo(300).isEqualTo(ends.size());
                CopyBinaryReader later = reader(true);
                later.beginWithRows();
                ColumnWriter[] writers = writers(arena);
                CopyFrames frames = new CopyFrames();
                frames.clear(kept.toByteArray());
                int start = 0;
                for (int end : ends) {
                    frames.add(start, end);
                    start = end;
                    if (frames.isFull() || end == kept.size()) {
                        assertThat(later.accept(frames, writers)).isEqualTo(frames.count());
                        frames.clear(frames.bytes());
                    }
                }
                assertThat(text(writers)).isEqualTo(text(expected));
            }
        }
    }

    @Test
    void streamsCutShortAreRefused() throws IOException {
        byte[] stream = stream(20);
        for (int length = 0; length < stream.length; length++) {
            byte[] cut = Arrays.copyOf(stream, length);
            try (Arena arena = Arena.ofConfined()) {
                CopyBinaryReader reader = reader(true);
                ColumnWriter[] writers = writers(arena);
                reader.accept(cut, writers);
                assertThatThrownBy(reader::finish)
                        .isInstanceOf(QueryException.class)
                        .hasMessageContaining("public.t");
                for (ColumnWriter writer : writers) {
                    assertThat(writer.rowCount()).isEqualTo((int) reader.rowCount());
                }
            }
        }
    }

    @Test
    void flippedBytesGiveRowsOrAnErrorThatNamesTheTable() throws IOException {
        byte[] stream = stream(20);
        for (int attempt = 0; attempt < 20_000; attempt++) {
            byte[] broken = stream.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
            }
            try (Arena arena = Arena.ofConfined()) {
                CopyBinaryReader reader = reader(true);
                ColumnWriter[] writers = writers(arena);
                try {
                    reader.accept(broken, writers);
                    reader.finish();
                } catch (QueryException failure) {
                    assertThat(failure.getMessage()).containsAnyOf("public.t", "column t.c");
                    continue;
                }
                for (ColumnWriter writer : writers) {
                    assertThat(writer.rowCount()).isEqualTo((int) reader.rowCount());
                }
            }
        }
    }

    @Test
    void nullsInColumnsDeclaredNotNullAreRefused() throws IOException {
        byte[] stream = stream(50);
        try (Arena arena = Arena.ofConfined()) {
            ColumnWriter[] writers = writers(arena);
            assertThatThrownBy(() -> reader(false).accept(stream, writers))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state()).isEqualTo(SqlState.INVALID_BINARY_REPRESENTATION))
                    .hasMessageContaining("declared not null");
        }
    }

    @Test
    void dataAfterTheEndIsRefused() throws IOException {
        byte[] stream = stream(1);
        try (Arena arena = Arena.ofConfined()) {
            CopyBinaryReader reader = reader(true);
            ColumnWriter[] writers = writers(arena);
            reader.accept(stream, writers);
            assertThatThrownBy(() -> reader.accept(new byte[1], writers)).hasMessageContaining("data after its end");
        }
    }
}
