package dev.quarrel.export.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a server might send, made here: whole, in pieces, with rows over several messages, cut short, and
/// with wrong bytes.
final class SocketCopyConnectionTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);

    private final Random random = new Random(SEED);

    /// A connection whose server has said all it will ever say.
    private static final class Recorded extends Socket {
        private final InputStream in;

        /// @param largest how many bytes come at once at most
        Recorded(byte[] bytes, int largest) {
            this.in = new ByteArrayInputStream(bytes) {
                @Override
                public synchronized int read(byte[] target, int offset, int length) {
                    return super.read(target, offset, Math.min(length, largest));
                }
            };
        }

        @Override
        public InputStream getInputStream() {
            return in;
        }

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }
    }

    private static void message(DataOutputStream out, char type, byte[] contents) throws IOException {
        out.writeByte(type);
        out.writeInt(4 + contents.length);
        out.write(contents);
    }

    private static byte[] row(int id, String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream row = new DataOutputStream(bytes);
        row.writeShort(2);
        row.writeInt(4);
        row.writeInt(id);
        if (name == null) {
            row.writeInt(-1);
        } else {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            row.writeInt(text.length);
            row.write(text);
        }
        return bytes.toByteArray();
    }

    private String name(int id) {
        return id % 7 == 0 ? null : "n".repeat(id % 30) + id;
    }

    /// A whole COPY of `rowCount` rows.
    ///
    /// @param cut whether messages end anywhere, instead of with a row
    private byte[] conversation(int rowCount, boolean cut) throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        DataOutputStream copy = new DataOutputStream(stream);
        copy.write("PGCOPY\n".getBytes(StandardCharsets.ISO_8859_1));
        copy.write(new byte[] {(byte) 0xFF, '\r', '\n', 0});
        copy.writeInt(0);
        copy.writeInt(0);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        message(out, 'H', new byte[] {1, 0, 2, 0, 1, 0, 1});
        for (int id = 0; id <= rowCount; id++) {
            copy.write(id < rowCount ? row(id, name(id)) : new byte[] {-1, -1});
            if (cut) {
                byte[] piece = stream.toByteArray();
                int at = 0;
                while (at < piece.length && random.nextInt(3) > 0) {
                    int end = Math.min(piece.length, at + random.nextInt(20));
                    message(out, 'd', Arrays.copyOfRange(piece, at, end));
                    at = end;
                }
                stream.reset();
                stream.write(piece, at, piece.length - at);
            } else {
                message(out, 'd', stream.toByteArray());
                stream.reset();
            }
            if (random.nextInt(50) == 0) {
                message(out, 'N', "SNOTICE\0C00000\0Mby the way\0\0".getBytes(StandardCharsets.UTF_8));
            }
        }
        if (stream.size() > 0) {
            message(out, 'd', stream.toByteArray());
        }
        message(out, 'c', new byte[0]);
        message(out, 'C', "COPY\0".getBytes(StandardCharsets.UTF_8));
        message(out, 'Z', new byte[] {'T'});
        return bytes.toByteArray();
    }

    private static CopyBinaryReader reader() {
        List<PgType> types = List.of(PgType.INT4, PgType.TEXT);
        List<DataType> targets = List.of(DataType.INT32, DataType.UTF8);
        List<FieldReader> readers = new ArrayList<>();
        for (int column = 0; column < 2; column++) {
            readers.add(FieldReader.of(types.get(column), targets.get(column), "t.c" + column, false, Unfit.DEFAULT));
        }
        return CopyBinaryReader.of(
                "public.t", List.of("id", "name"), readers, List.of(false, true), types, targets, false);
    }

    /// Reads a conversation, and says what was read.
    ///
    /// @return the rows from `skipped` on; null where the server or the reader said that it is broken
    private List<String> read(byte[] conversation, int largest, long skipped) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ColumnWriter[] writers = {
                new ColumnWriter(DataType.INT32, Allocator.of(arena)),
                new ColumnWriter(DataType.UTF8, Allocator.of(arena))
            };
            SocketCopyConnection connection = new SocketCopyConnection(new Recorded(conversation, largest), false);
            CopyBinaryReader reader = reader();
            reader.skip(skipped);
            CopyFrames frames = new CopyFrames();
            long appended = 0;
            boolean isWhole = true;
            try {
                connection.startCopy("COPY");
                while (connection.read(frames)) {
                    appended += reader.accept(frames, writers);
                }
                reader.finish();
            } catch (QueryException broken) {
                assertThat(broken.getMessage()).containsAnyOf("public.t", "column t.c");
                isWhole = false;
            } catch (SQLException broken) {
                assertThat(broken.getSQLState()).as(broken.toString()).hasSize(5);
                isWhole = false;
            }
            FixedColumn ids = (FixedColumn) writers[0].finish();
            Utf8Column names = (Utf8Column) writers[1].finish();
            if (!isWhole) {
                return null; // a column may be ahead of those behind the broken field
            }
            assertThat(appended).isEqualTo(ids.rowCount()).isEqualTo(names.rowCount());
            List<String> rows = new ArrayList<>();
            for (int row = 0; row < ids.rowCount(); row++) {
                String name = names.validity().isPresent(row)
                        ? new String(names.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)
                        : null;
                rows.add(ids.values().get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L) + " " + name);
            }
            return rows;
        }
    }

    private List<String> expected(int from, int rowCount) {
        List<String> rows = new ArrayList<>();
        for (int id = from; id < rowCount; id++) {
            rows.add(id + " " + name(id));
        }
        return rows;
    }

    @Test
    void rowsAreTheSameHoweverTheyCome() throws IOException {
        for (int rowCount : new int[] {0, 1, 2, 31, 255, 256, 257, 2000}) {
            for (boolean cut : new boolean[] {false, true}) {
                byte[] conversation = conversation(rowCount, cut);
                for (int largest : new int[] {1, 7, 1000, Integer.MAX_VALUE}) {
                    for (int skipped : new int[] {0, rowCount / 3, rowCount}) {
                        assertThat(read(conversation, largest, skipped))
                                .as("%d rows, %d skipped, seed %d", rowCount, skipped, SEED)
                                .isEqualTo(expected(skipped, rowCount));
                    }
                }
            }
        }
    }

    @Test
    void aRowLargerThanTheBufferComesWhole() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        byte[] small = conversation(1, false);
        String large = "y".repeat(3_000_000);
        int end = small.length - 6 - 10 - 5 - 7; // before the trailer, and what follows it
        out.write(small, 0, end);
        message(out, 'd', row(1, large));
        out.write(small, end, small.length - end);
        List<String> rows = read(bytes.toByteArray(), Integer.MAX_VALUE, 0);
        assertThat(rows).hasSize(2);
        assertThat(rows.get(1)).isEqualTo("1 " + large);
    }

    @Test
    void conversationsCutShortAreRefused() throws IOException {
        for (boolean cut : new boolean[] {false, true}) {
            byte[] conversation = conversation(30, cut);
            for (int length = 0; length < conversation.length; length++) {
                assertThat(read(Arrays.copyOf(conversation, length), 100, 0))
                        .as("%d of %d bytes", length, conversation.length)
                        .isNull();
            }
        }
    }

    /// A wrong byte may make other rows, but as many as there were, or an error: never a crash, a hang, or half a row.
    private void flip(int rounds) throws IOException {
        byte[] conversation = conversation(40, false);
        for (int round = 0; round < rounds; round++) {
            byte[] broken = conversation.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
            }
            List<String> rows = read(broken, 1 + random.nextInt(500), 0);
            if (rows != null) {
                assertThat(rows.size()).isLessThanOrEqualTo(40);
            }
        }
    }

    @Test
    void wrongBytesAreRowsOrErrors() throws IOException {
        flip(5000);
    }

    @Test
    @Tag("nightly")
    void manyWrongBytesAreRowsOrErrors() throws IOException {
        flip(1_000_000);
    }

    @Test
    void aLengthOfAGibibyteThatDoesNotComeTakesNoMemory() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        message(out, 'H', new byte[] {1, 0, 0});
        out.writeByte('d');
        out.writeInt(1 << 30);
        out.write(new byte[1000]);
        long before = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        assertThat(read(bytes.toByteArray(), Integer.MAX_VALUE, 0)).isNull();
        assertThat(Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory() - before)
                .isLessThan(512L << 20);
    }
}
