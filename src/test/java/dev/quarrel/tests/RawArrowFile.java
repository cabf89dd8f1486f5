package dev.quarrel.tests;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedSet;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.DictionaryKind;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.LargeUtf8;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.apache.arrow.flatbuf.Utf8View;

/// Writes Arrow files in forms that other tools have and our writer has not: narrow and unsigned integers, views, delta
/// dictionaries, buffers anywhere, and whatever a file may hold where nobody looks.
///
/// - Source: Arrow's File.fbs, Schema.fbs and Message.fbs, and the columnar format; written apart from our reader.
final class RawArrowFile {
    /// How a column lies in the file.
    sealed interface Form {
        /// In the form of its type.
        record Plain() implements Form {}

        /// Integers, and decimals, of so many bits; dates of 64 and timestamps in milliseconds.
        record Narrow(int bits, boolean isSigned) implements Form {}

        record LargeText() implements Form {}

        record TextViews() implements Form {}

        /// Codes of so many bits into a dictionary of the file's own, in `parts` batches.
        ///
        /// @param unused entries that no row has
        /// @param hasNullEntry whether some NULL rows are present, of an entry that is NULL
        record Coded(int bits, boolean isSigned, int parts, int unused, boolean hasNullEntry) implements Form {}
    }

    record Column(Field field, Form form) {}

    /// @param isOdd buffers at odd places, texts from some offset on, and garbage under NULLs and past the end
    /// @param isLz4 whether buffers are compressed
    record Style(boolean isOdd, boolean isLz4) {}

    private record Body(int rows, List<long[]> nodes, List<byte[]> buffers, List<Long> views) {}

    private final List<Column> columns;
    private final Style style;
    private final Random random;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final List<long[]> dictionaryBlocks = new ArrayList<>();
    private final List<long[]> batchBlocks = new ArrayList<>();
    private final Map<Integer, List<String>> dictionaries = new HashMap<>(); // entries by column

    private RawArrowFile(List<Column> columns, Style style, Random random) {
        this.columns = columns;
        this.style = style;
        this.random = random;
    }

    /// @param batches rows of each batch: a value a column, as literals have them, null for NULL
    static void write(Path path, List<Column> columns, List<List<Object[]>> batches, Style style, Random random) {
        try {
            Files.createDirectories(path.getParent());
            Files.write(path, new RawArrowFile(columns, style, random).bytes(batches));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private byte[] bytes(List<List<Object[]>> batches) throws IOException {
        out.writeBytes("ARROW1\0\0".getBytes(StandardCharsets.US_ASCII));
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        message(builder, MessageHeader.Schema, schema(builder), 0);
        for (int column = 0; column < columns.size(); column++) {
            if (columns.get(column).form() instanceof Form.Coded coded) {
                writeDictionary(column, coded, batches);
            }
        }
        for (List<Object[]> rows : batches) {
            Body body = new Body(rows.size(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int column = 0; column < columns.size(); column++) {
                int index = column;
                add(column, rows.stream().map(row -> row[index]).toList(), body);
            }
            batchBlocks.add(write(body, -1, false));
        }
        byte[] footer = footer();
        ByteBuffer tail = ByteBuffer.allocate(8 + footer.length + 4 + 6).order(ByteOrder.LITTLE_ENDIAN);
        tail.putInt(-1).putInt(0).put(footer).putInt(footer.length).put("ARROW1".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(tail.array());
        return out.toByteArray();
    }

    private void writeDictionary(int column, Form.Coded coded, List<List<Object[]>> batches) throws IOException {
        SequencedSet<String> texts = new LinkedHashSet<>();
        batches.forEach(rows -> rows.forEach(row -> {
            if (row[column] != null) {
                texts.add((String) row[column]);
            }
        }));
        List<String> entries = new ArrayList<>(texts);
        for (int index = 0; index < coded.unused(); index++) {
            entries.add("unused " + index);
        }
        if (coded.hasNullEntry()) {
            entries.add(null);
        }
        Collections.shuffle(entries, random);
        // More than the codes can say.
        for (int index = entries.size(); coded.unused() > 0 && coded.bits() == 8 && index < 300; index++) {
            entries.add("beyond " + index);
        }
        dictionaries.put(column, entries);
        int from = 0;
        for (int part = 0; part < coded.parts(); part++) {
            int to = part == coded.parts() - 1 ? entries.size() : entries.size() * (part + 1) / coded.parts();
            Body body = new Body(to - from, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            List<Object> values = new ArrayList<>(entries.subList(from, to));
            addNode(values, body);
            addTexts(values, false, body);
            dictionaryBlocks.add(write(body, column, part > 0));
            from = to;
        }
    }

    // ---- columns

    private void add(int column, List<Object> values, Body body) {
        switch (columns.get(column).form()) {
            case Form.Coded coded -> addCodes(column, coded, values, body);
            case Form.TextViews _ -> {
                addNode(values, body);
                addViews(values, body);
            }
            case Form.LargeText _ -> {
                addNode(values, body);
                addTexts(values, true, body);
            }
            case Form.Narrow(int bits, boolean _) -> {
                addNode(values, body);
                addNumbers(columns.get(column).field().type(), bits, true, values, body);
            }
            case Form.Plain _ -> {
                addNode(values, body);
                switch (columns.get(column).field().type()) {
                    case DataType.Utf8 _ -> addTexts(values, false, body);
                    case DataType.Bool _ ->
                        body.buffers.add(bits(
                                values.size(),
                                row -> values.get(row) == null ? random.nextBoolean() : (Boolean) values.get(row)));
                    case DataType type -> addNumbers(type, type.byteWidth() * 8, false, values, body);
                }
            }
        }
    }

    /// The validity; where no row is NULL there may be one all the same.
    private void addNode(List<Object> values, Body body) {
        long nulls = values.stream().filter(value -> value == null).count();
        body.nodes.add(new long[] {values.size(), nulls});
        body.buffers.add(
                nulls == 0 && (!style.isOdd || random.nextBoolean())
                        ? new byte[0]
                        : bits(values.size(), row -> values.get(row) != null));
    }

    private interface RowTest {
        boolean test(int row);
    }

    private byte[] bits(int rows, RowTest test) {
        byte[] bits = new byte[(rows + 7) / 8 + (style.isOdd ? 1 : 0)];
        if (style.isOdd) {
            random.nextBytes(bits);
        }
        for (int row = 0; row < rows; row++) {
            int bit = 1 << (row & 7);
            bits[row >> 3] = (byte) (test.test(row) ? bits[row >> 3] | bit : bits[row >> 3] & ~bit);
        }
        return bits;
    }

    private void addNumbers(DataType type, int bits, boolean isNarrow, List<Object> values, Body body) {
        int width = bits / 8;
        ByteBuffer bytes = ByteBuffer.allocate(values.size() * width).order(ByteOrder.LITTLE_ENDIAN);
        byte[] garbage = new byte[width];
        for (Object value : values) {
            if (value == null) {
                if (style.isOdd) {
                    random.nextBytes(garbage);
                }
                bytes.put(garbage);
                continue;
            }
            BigInteger number =
                    switch (type) {
                        case DataType.Float64 _ -> BigInteger.valueOf(Double.doubleToRawLongBits((Double) value));
                        case DataType.Decimal(int _, int scale) ->
                            ((BigDecimal) value).setScale(scale).unscaledValue();
                        case DataType.Date _ when isNarrow -> BigInteger.valueOf((Long) value * 86_400_000);
                        case DataType.Timestamp _
                        when isNarrow -> BigInteger.valueOf(Math.floorDiv((Long) value, 1000L));
                        default -> BigInteger.valueOf((Long) value);
                    };
            for (int at = 0; at < width; at++) {
                bytes.put(number.shiftRight(8 * at).byteValue());
            }
        }
        body.buffers.add(bytes.array());
    }

    private void addTexts(List<Object> values, boolean isLarge, Body body) {
        ByteArrayOutputStream texts = new ByteArrayOutputStream();
        int width = isLarge ? 8 : 4;
        ByteBuffer offsets = ByteBuffer.allocate((values.size() + 1) * width).order(ByteOrder.LITTLE_ENDIAN);
        if (style.isOdd) {
            texts.writeBytes("sliced away".getBytes(StandardCharsets.UTF_8));
        }
        put(offsets, width, texts.size());
        for (Object value : values) {
            if (value != null) {
                texts.writeBytes(((String) value).getBytes(StandardCharsets.UTF_8));
            } else if (style.isOdd) {
                texts.writeBytes("a".repeat(random.nextInt(3)).getBytes(StandardCharsets.UTF_8));
            }
            put(offsets, width, texts.size());
        }
        body.buffers.add(offsets.array());
        body.buffers.add(texts.toByteArray());
    }

    private static void put(ByteBuffer to, int width, long number) {
        if (width == 8) {
            to.putLong(number);
        } else {
            to.putInt((int) number);
        }
    }

    private void addViews(List<Object> values, Body body) {
        ByteArrayOutputStream texts = new ByteArrayOutputStream();
        ByteBuffer views = ByteBuffer.allocate(values.size() * 16).order(ByteOrder.LITTLE_ENDIAN);
        for (Object value : values) {
            byte[] text = value == null ? new byte[0] : ((String) value).getBytes(StandardCharsets.UTF_8);
            views.putInt(text.length);
            if (text.length <= 12) {
                views.put(Arrays.copyOf(text, 12));
            } else {
                views.put(text, 0, 4).putInt(0).putInt(texts.size());
                texts.writeBytes(text);
            }
        }
        body.buffers.add(views.array());
        body.buffers.add(texts.toByteArray());
        body.views.add(1L);
    }

    private void addCodes(int column, Form.Coded coded, List<Object> values, Body body) {
        List<String> entries = dictionaries.get(column);
        Map<String, Integer> codes = new HashMap<>();
        for (int code = 0; code < entries.size(); code++) {
            codes.put(entries.get(code), code);
        }
        // A NULL row may be one whose entry is NULL.
        boolean[] isPresent = new boolean[values.size()];
        int nulls = 0;
        for (int row = 0; row < isPresent.length; row++) {
            isPresent[row] = values.get(row) != null || coded.hasNullEntry() && random.nextBoolean();
            nulls += isPresent[row] ? 0 : 1;
        }
        body.nodes.add(new long[] {values.size(), nulls});
        body.buffers.add(nulls == 0 ? new byte[0] : bits(values.size(), row -> isPresent[row]));
        ByteBuffer bytes = ByteBuffer.allocate(values.size() * coded.bits() / 8).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < isPresent.length; row++) {
            long code = isPresent[row] ? codes.get((String) values.get(row)) : style.isOdd ? random.nextInt() : 0;
            for (int at = 0; at < coded.bits(); at += 8) {
                bytes.put((byte) (code >> at));
            }
        }
        body.buffers.add(bytes.array());
    }

    // ---- the file

    private long[] write(Body body, int dictionary, boolean isDelta) throws IOException {
        List<byte[]> stored = new ArrayList<>();
        for (byte[] buffer : body.buffers) {
            stored.add(style.isLz4 && buffer.length > 0 ? lz4(buffer) : buffer);
        }
        long[] starts = new long[stored.size()];
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (int buffer = 0; buffer < starts.length; buffer++) {
            int alignment = style.isOdd ? 1 : 8;
            while (content.size() % alignment != 0 || style.isOdd && content.size() % 8 != buffer % 8) {
                content.write(0x5A);
            }
            starts[buffer] = content.size();
            content.writeBytes(stored.get(buffer));
        }
        while (content.size() % 8 != 0) {
            content.write(0);
        }
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        RecordBatch.startNodesVector(builder, body.nodes.size());
        for (long[] node : body.nodes.reversed()) {
            FieldNode.createFieldNode(builder, node[0], node[1]);
        }
        int nodes = builder.endVector();
        RecordBatch.startBuffersVector(builder, starts.length);
        for (int buffer = starts.length - 1; buffer >= 0; buffer--) {
            Buffer.createBuffer(builder, starts[buffer], stored.get(buffer).length);
        }
        int buffers = builder.endVector();
        int views = body.views.isEmpty()
                ? 0
                : RecordBatch.createVariadicBufferCountsVector(
                        builder, body.views.stream().mapToLong(Long::longValue).toArray());
        int compression = style.isLz4
                ? BodyCompression.createBodyCompression(
                        builder, CompressionType.LZ4_FRAME, BodyCompressionMethod.BUFFER)
                : 0;
        int batch = RecordBatch.createRecordBatch(builder, body.rows, nodes, buffers, compression, views);
        long[] block;
        if (dictionary < 0) {
            block = message(builder, MessageHeader.RecordBatch, batch, content.size());
        } else {
            int header = DictionaryBatch.createDictionaryBatch(builder, dictionary, batch, isDelta);
            block = message(builder, MessageHeader.DictionaryBatch, header, content.size());
        }
        out.writeBytes(content.toByteArray());
        return block;
    }

    private static byte[] lz4(byte[] buffer) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        compressed.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(buffer.length)
                .array());
        try (OutputStream frame = new LZ4FrameOutputStream(compressed)) {
            frame.write(buffer);
        }
        return compressed.toByteArray();
    }

    /// Writes a message's head; answers its place, its bytes and those of the body to come.
    private long[] message(FlatBufferBuilder builder, byte type, int header, long bodyBytes) {
        builder.finish(Message.createMessage(builder, MetadataVersion.V5, type, header, bodyBytes, 0));
        byte[] bytes = builder.sizedByteArray();
        int length = (bytes.length + 7) / 8 * 8;
        long offset = out.size();
        out.writeBytes(ByteBuffer.allocate(8 + length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(-1)
                .putInt(length)
                .put(bytes)
                .array());
        return new long[] {offset, 8L + length, bodyBytes};
    }

    private byte[] footer() {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        int schema = schema(builder);
        Footer.startDictionariesVector(builder, dictionaryBlocks.size());
        int dictionaryList = blocks(builder, dictionaryBlocks);
        Footer.startRecordBatchesVector(builder, batchBlocks.size());
        int batchList = blocks(builder, batchBlocks);
        builder.finish(Footer.createFooter(builder, MetadataVersion.V5, schema, dictionaryList, batchList, 0));
        return builder.sizedByteArray();
    }

    private static int blocks(FlatBufferBuilder builder, List<long[]> blocks) {
        for (long[] block : blocks.reversed()) {
            Block.createBlock(builder, block[0], (int) block[1], block[2]);
        }
        return builder.endVector();
    }

    private int schema(FlatBufferBuilder builder) {
        int[] fields = new int[columns.size()];
        for (int column = 0; column < fields.length; column++) {
            fields[column] = field(builder, column);
        }
        return Schema.createSchema(builder, Endianness.Little, Schema.createFieldsVector(builder, fields), 0, 0);
    }

    private int field(FlatBufferBuilder builder, int column) {
        Field field = columns.get(column).field();
        Form form = columns.get(column).form();
        int name = builder.createString(field.name());
        int dictionary = 0;
        if (form instanceof Form.Coded(int bits, boolean isSigned, int _, int _, boolean _)) {
            int codes = Int.createInt(builder, bits, isSigned);
            dictionary = DictionaryEncoding.createDictionaryEncoding(
                    builder, column, codes, false, DictionaryKind.DenseArray);
        }
        int metadata = 0;
        if (field.pgType() != null) {
            int entry = KeyValue.createKeyValue(
                    builder, builder.createString("pg.type"), builder.createString(field.pgType()));
            metadata = org.apache.arrow.flatbuf.Field.createCustomMetadataVector(builder, new int[] {entry});
        }
        int children = org.apache.arrow.flatbuf.Field.createChildrenVector(builder, new int[0]);
        boolean isNarrow = form instanceof Form.Narrow;
        int bits = form instanceof Form.Narrow(int narrow, boolean _)
                ? narrow
                : field.type().byteWidth() * 8;
        boolean isSigned = !(form instanceof Form.Narrow(int _, boolean signed)) || signed;
        byte kind;
        int type;
        switch (field.type()) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> {
                kind = Type.Int;
                type = Int.createInt(builder, bits, isSigned);
            }
            case DataType.Float64 _ -> {
                kind = Type.FloatingPoint;
                type = FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE);
            }
            case DataType.Decimal(int precision, int scale) -> {
                kind = Type.Decimal;
                type = Decimal.createDecimal(builder, precision, scale, bits);
            }
            case DataType.Date _ -> {
                kind = Type.Date;
                type = Date.createDate(builder, isNarrow ? DateUnit.MILLISECOND : DateUnit.DAY);
            }
            case DataType.Timestamp _ -> {
                kind = Type.Timestamp;
                type = Timestamp.createTimestamp(builder, isNarrow ? TimeUnit.MILLISECOND : TimeUnit.MICROSECOND, 0);
            }
            case DataType.Bool _ -> {
                kind = Type.Bool;
                Bool.startBool(builder);
                type = Bool.endBool(builder);
            }
            case DataType.Utf8 _ -> {
                switch (form) {
                    case Form.LargeText _ -> {
                        kind = Type.LargeUtf8;
                        LargeUtf8.startLargeUtf8(builder);
                        type = LargeUtf8.endLargeUtf8(builder);
                    }
                    case Form.TextViews _ -> {
                        kind = Type.Utf8View;
                        Utf8View.startUtf8View(builder);
                        type = Utf8View.endUtf8View(builder);
                    }
                    case Form.Plain _, Form.Narrow _, Form.Coded _ -> {
                        kind = Type.Utf8;
                        Utf8.startUtf8(builder);
                        type = Utf8.endUtf8(builder);
                    }
                }
            }
            default -> throw new IllegalArgumentException(field.toString());
        }
        return org.apache.arrow.flatbuf.Field.createField(
                builder, name, field.nullable(), kind, type, dictionary, children, metadata);
    }
}
