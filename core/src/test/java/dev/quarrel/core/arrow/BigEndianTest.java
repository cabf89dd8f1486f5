package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.apache.arrow.flatbuf.Utf8View;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of big-endian machines. No writer at hand makes them, so the test does, as a stream.
class BigEndianTest {
    private static final int ROWS = 3;

    @TempDir
    private Path folder;

    private final FlatBufferBuilder builder = new FlatBufferBuilder(1024);
    private final List<Integer> fields = new ArrayList<>();
    private final List<ByteBuffer> buffers = new ArrayList<>();
    private final List<Integer> nodes = new ArrayList<>(); // rows

    private int field(String name, byte type, int typeOffset, int... children) {
        int nameOffset = builder.createString(name);
        int childrenOffset = Field.createChildrenVector(builder, children);
        return Field.createField(builder, nameOffset, true, type, typeOffset, 0, childrenOffset, 0);
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.BIG_ENDIAN);
    }

    private void buffers(ByteBuffer... added) {
        for (ByteBuffer each : added) {
            each.flip();
            buffers.add(each);
        }
    }

    private void column(int field, int rows, ByteBuffer... values) {
        fields.add(field);
        nodes.add(rows);
        buffers(bytes(0));
        buffers(values);
    }

    private void columns() {
        column(
                field("i2", Type.Int, Int.createInt(builder, 16, true)),
                ROWS,
                bytes(6).putShort((short) 1).putShort((short) -2).putShort((short) 300));
        column(
                field("i4", Type.Int, Int.createInt(builder, 32, true)),
                ROWS,
                bytes(12).putInt(1).putInt(-2).putInt(70_000));
        column(
                field("f8", Type.FloatingPoint, FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE)),
                ROWS,
                bytes(24).putDouble(1.5).putDouble(-0.25).putDouble(1e300));
        column(
                field("n", Type.Decimal, Decimal.createDecimal(builder, 10, 2, 128)),
                ROWS,
                bytes(48)
                        .putLong(0)
                        .putLong(150)
                        .putLong(-1)
                        .putLong(-225)
                        .putLong(0)
                        .putLong(99_999));
        column(
                field("s", Type.Utf8, utf8()),
                ROWS,
                bytes(16).putInt(0).putInt(2).putInt(2).putInt(5),
                ByteBuffer.wrap("abxyz".getBytes(StandardCharsets.UTF_8)).position(5));
        column(
                field("span", Type.Interval, Interval.createInterval(builder, IntervalUnit.MONTH_DAY_NANO)),
                ROWS,
                bytes(48)
                        .putInt(1)
                        .putInt(2)
                        .putLong(3_000_000_000L)
                        .putInt(0)
                        .putInt(-1)
                        .putLong(0)
                        .putInt(12)
                        .putInt(0)
                        .putLong(1000));
        column(
                field("view", Type.Utf8View, view()),
                ROWS,
                bytes(48)
                        .putInt(3)
                        .put("one".getBytes(StandardCharsets.UTF_8))
                        .put(new byte[9])
                        .putInt(13)
                        .put("thir".getBytes(StandardCharsets.UTF_8))
                        .putInt(0)
                        .putInt(2)
                        .putInt(0)
                        .put(new byte[12]),
                ByteBuffer.wrap("..thirteen chars".getBytes(StandardCharsets.UTF_8))
                        .position(16));
        int element = field("item", Type.Int, Int.createInt(builder, 64, true));
        fields.add(field("a", Type.List, list(), element));
        nodes.add(ROWS);
        nodes.add(3);
        buffers(bytes(0), bytes(16).putInt(0).putInt(2).putInt(2).putInt(3), bytes(0));
        buffers(bytes(24).putLong(7).putLong(-8).putLong(1L << 40));
    }

    private int utf8() {
        Utf8.startUtf8(builder);
        return Utf8.endUtf8(builder);
    }

    private int view() {
        Utf8View.startUtf8View(builder);
        return Utf8View.endUtf8View(builder);
    }

    private int list() {
        org.apache.arrow.flatbuf.List.startList(builder);
        return org.apache.arrow.flatbuf.List.endList(builder);
    }

    /// @param bodyBytes of what follows the message
    private static byte[] message(FlatBufferBuilder builder, byte type, int header, long bodyBytes) {
        builder.finish(Message.createMessage(builder, MetadataVersion.V5, type, header, bodyBytes, 0));
        byte[] content = builder.sizedByteArray();
        int padded = (content.length + 7) / 8 * 8;
        return ByteBuffer.allocate(8 + padded)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(-1)
                .putInt(padded)
                .put(content)
                .array();
    }

    private Path stream() throws IOException {
        columns();
        int vector = Schema.createFieldsVector(
                builder, fields.stream().mapToInt(Integer::intValue).toArray());
        int schema = Schema.createSchema(builder, Endianness.Big, vector, 0, 0);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(message(builder, MessageHeader.Schema, schema, 0));

        FlatBufferBuilder batch = new FlatBufferBuilder(1024);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        long[] offsets = new long[buffers.size()];
        for (int index = 0; index < offsets.length; index++) {
            offsets[index] = body.size();
            byte[] content = new byte[buffers.get(index).remaining()];
            buffers.get(index).get(content);
            body.writeBytes(content);
            body.writeBytes(new byte[-content.length & 7]);
        }
        RecordBatch.startBuffersVector(batch, offsets.length);
        for (int index = offsets.length - 1; index >= 0; index--) {
            Buffer.createBuffer(batch, offsets[index], buffers.get(index).limit());
        }
        int buffersOffset = batch.endVector();
        RecordBatch.startNodesVector(batch, nodes.size());
        for (int index = nodes.size() - 1; index >= 0; index--) {
            FieldNode.createFieldNode(batch, nodes.get(index), 0);
        }
        int nodesOffset = batch.endVector();
        int counts = RecordBatch.createVariadicBufferCountsVector(batch, new long[] {1});
        int header = RecordBatch.createRecordBatch(batch, ROWS, nodesOffset, buffersOffset, 0, counts);
        out.writeBytes(message(batch, MessageHeader.RecordBatch, header, body.size()));
        out.writeBytes(body.toByteArray());
        out.writeBytes(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0});
        return Files.write(folder.resolve("big.arrow"), out.toByteArray());
    }

    @Test
    void valuesAreThoseOfTheOtherMachine() throws IOException {
        List<String> read = new ArrayList<>();
        try (ArrowFile file = ArrowFile.open(stream());
                OwnedMemory memory = new OwnedMemory()) {
            for (int column = 0; column < file.schema().size(); column++) {
                Column values = file.column(0, column, memory);
                TextBuffer text = new TextBuffer();
                for (int row = 0; row < ROWS; row++) {
                    PgText.append(values, row, text);
                    text.append((byte) ' ');
                }
                read.add(file.schema().field(column).name() + ": "
                        + new String(text.array(), 0, text.length(), StandardCharsets.UTF_8).strip());
            }
        }
        assertThat(read)
                .containsExactly(
                        "i2: 1 -2 300",
                        "i4: 1 -2 70000",
                        "f8: 1.5 -0.25 1e+300",
                        "n: 1.50 -2.25 999.99",
                        "s: ab  xyz",
                        "span: 1 mon 2 days 00:00:03 -1 days 1 year 00:00:00.000001",
                        "view: one thirteen char",
                        "a: {7,-8} {} {1099511627776}");
    }
}
