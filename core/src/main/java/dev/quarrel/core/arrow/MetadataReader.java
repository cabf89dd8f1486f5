package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;

/// Turns a file's flatbuffers into records of ours, and checks all that can be checked without the values.
///
/// - Errors: `QueryException` XX001 for bytes that make no sense; 0A000 for what Quarrel does not read.
/// - Source: Arrow's File.fbs, Schema.fbs and Message.fbs.
final class MetadataReader {
    private static final int MAX_FIELDS = 100_000;
    private static final int MAX_DEPTH = 64;
    private static final int BLOCK_BYTES = 24;

    private final FileFault fault;
    private final Map<Long, Storage> dictionaryValues = new HashMap<>();
    private final Map<Long, Shape> dictionaryShapes = new HashMap<>();
    private int fieldCount;
    private int storageDepth;
    private short version;
    private boolean isBigEndian;

    MetadataReader(FileFault fault) {
        this.fault = fault;
    }

    /// @param footerOffset where the footer starts: blocks end before it
    Footer footer(byte[] bytes, long footerOffset) {
        return malformedIfThrows("its footer is malformed", () -> {
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            org.apache.arrow.flatbuf.Footer footer = org.apache.arrow.flatbuf.Footer.getRootAsFooter(buffer);
            requireVersion(footer.version());
            org.apache.arrow.flatbuf.Schema schema = footer.schema();
            if (schema == null) {
                throw fault.corrupt("its footer has no schema");
            }
            List<FileField> fields = fields(schema, bytes.length);
            List<Footer.Block> dictionaries = new ArrayList<>();
            for (int index = 0; index < checkedCount(footer.dictionariesLength(), BLOCK_BYTES, bytes.length); index++) {
                dictionaries.add(block(footer.dictionaries(index), footerOffset));
            }
            List<Footer.Block> batches = new ArrayList<>();
            for (int index = 0;
                    index < checkedCount(footer.recordBatchesLength(), BLOCK_BYTES, bytes.length);
                    index++) {
                batches.add(block(footer.recordBatches(index), footerOffset));
            }
            Map<String, String> fileMetadata = new LinkedHashMap<>();
            for (int index = 0; index < checkedCount(footer.customMetadataLength(), 4, bytes.length); index++) {
                putMetadata(fileMetadata, footer.customMetadata(index));
            }
            return new Footer(
                    fields,
                    Map.copyOf(dictionaryValues),
                    dictionaries,
                    batches,
                    schemaMetadata(schema, bytes.length),
                    Collections.unmodifiableMap(fileMetadata));
        });
    }

    private List<FileField> fields(org.apache.arrow.flatbuf.Schema schema, int availableBytes) {
        isBigEndian = schema.endianness() == Endianness.Big;
        List<FileField> fields = new ArrayList<>();
        for (int index = 0; index < checkedCount(schema.fieldsLength(), 4, availableBytes); index++) {
            fields.add(field(schema.fields(index)));
        }
        return List.copyOf(fields);
    }

    private Map<String, String> schemaMetadata(org.apache.arrow.flatbuf.Schema schema, int availableBytes) {
        Map<String, String> metadata = new LinkedHashMap<>();
        for (int index = 0; index < checkedCount(schema.customMetadataLength(), 4, availableBytes); index++) {
            putMetadata(metadata, schema.customMetadata(index));
        }
        return Collections.unmodifiableMap(metadata);
    }

    /// What a message of a stream is.
    ///
    /// @param bodyBytes how many follow its header
    record StreamMessage(byte type, long bodyBytes) {}

    StreamMessage streamMessage(byte[] message) {
        return malformedIfThrows("the header of a message is malformed", () -> {
            Message root = Message.getRootAsMessage(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN));
            return new StreamMessage(root.headerType(), root.bodyLength());
        });
    }

    /// A stream's schema, as a footer says it, with the places of the messages behind it.
    Footer streamSchema(byte[] message, List<Footer.Block> dictionaries, List<Footer.Block> batches) {
        return malformedIfThrows("its schema is malformed", () -> {
            Message root = message(message, MessageHeader.Schema, "a schema");
            requireVersion(root.version());
            org.apache.arrow.flatbuf.Schema schema =
                    (org.apache.arrow.flatbuf.Schema) root.header(new org.apache.arrow.flatbuf.Schema());
            List<FileField> fields = fields(schema, message.length);
            return new Footer(
                    fields,
                    Map.copyOf(dictionaryValues),
                    List.copyOf(dictionaries),
                    List.copyOf(batches),
                    schemaMetadata(schema, message.length),
                    Map.of());
        });
    }

    private void requireVersion(short found) {
        version = found;
        if (version < MetadataVersion.V4 || version > MetadataVersion.V5) {
            throw fault.unsupported("Arrow metadata version " + (version + 1) + " is not supported");
        }
    }

    private static void putMetadata(Map<String, String> metadata, KeyValue entry) {
        String key = entry.key();
        if (key != null) {
            metadata.put(key, entry.value() == null ? "" : entry.value());
        }
    }

    /// The metadata of an encapsulated message, without its prefix and padding.
    record DictionaryLayout(long id, boolean isDelta, BatchLayout layout) {}

    BatchLayout batch(byte[] message, Footer.Block block, List<FileField> fields, int index) {
        return malformedIfThrows("the header of record batch " + index + " is malformed", () -> {
            Message root = message(message, MessageHeader.RecordBatch, "record batch " + index);
            RecordBatch batch = (RecordBatch) root.header(new RecordBatch());
            return layout(batch, block, fields, "record batch " + index, message.length);
        });
    }

    DictionaryLayout dictionary(byte[] message, Footer.Block block, int index) {
        String what = "dictionary batch " + index;
        return malformedIfThrows("the header of " + what + " is malformed", () -> {
            Message root = message(message, MessageHeader.DictionaryBatch, what);
            DictionaryBatch dictionary = (DictionaryBatch) root.header(new DictionaryBatch());
            Storage values = dictionaryValues.get(dictionary.id());
            // A dictionary that no field uses, or one of a type that no field can be read with, is left alone.
            if (values == null || values instanceof Storage.Unreadable) {
                return new DictionaryLayout(dictionary.id(), dictionary.isDelta(), null);
            }
            Shape shape = dictionaryShapes.get(dictionary.id());
            FileField entry = new FileField(
                    new Field("", values.type(), true),
                    values,
                    shape.nodes,
                    shape.buffers,
                    shape.views,
                    Map.of(),
                    shape.widths,
                    List.of(),
                    List.of());
            RecordBatch data = dictionary.data();
            if (data == null) {
                throw fault.corrupt(what + " has no values");
            }
            return new DictionaryLayout(
                    dictionary.id(), dictionary.isDelta(), layout(data, block, List.of(entry), what, message.length));
        });
    }

    private Message message(byte[] bytes, byte headerType, String what) {
        Message root = Message.getRootAsMessage(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        if (root.headerType() != headerType) {
            throw fault.corrupt("where its footer says " + what + " there is a message of type " + root.headerType());
        }
        return root;
    }

    private BatchLayout layout(
            RecordBatch batch, Footer.Block block, List<FileField> fields, String what, int messageBytes) {
        long rowCount = batch.length();
        if (rowCount < 0) {
            throw fault.corrupt(what + " has " + rowCount + " rows");
        }
        if (rowCount > Integer.MAX_VALUE - 64) {
            throw fault.unsupported(what + " has " + rowCount + " rows, more than 2147483583");
        }
        int nodeCount = checkedCount(batch.nodesLength(), 16, messageBytes);
        int bufferCount = checkedCount(batch.buffersLength(), 16, messageBytes);
        int viewCount = checkedCount(batch.variadicBufferCountsLength(), 8, messageBytes);
        long[] nullCounts = new long[fields.size()];
        long[] elementNulls = new long[fields.size()];
        long[] elementCounts = new long[fields.size()];
        int[] firstBuffers = new int[fields.size()];
        int[] bufferCounts = new int[fields.size()];
        int[][] viewBuffers = new int[fields.size()][];
        int node = 0;
        int buffer = 0;
        int view = 0;
        for (int index = 0; index < fields.size(); index++) {
            FileField field = fields.get(index);
            if (field.nodes() > nodeCount - node || field.views() > viewCount - view) {
                throw fault.corrupt(what + " has fewer field nodes than the schema asks for");
            }
            FieldNode fieldNode = batch.nodes(node);
            if (fieldNode.length() != rowCount) {
                throw fault.corrupt(what + " has " + rowCount + " rows, its column \""
                        + field.field().name() + "\" " + fieldNode.length());
            }
            nullCounts[index] = fieldNode.nullCount();
            if (nullCounts[index] < 0 || nullCounts[index] > rowCount) {
                throw fault.corrupt(what + " counts " + nullCounts[index] + " nulls in column \""
                        + field.field().name() + "\" of " + rowCount + " rows");
            }
            if (field.nodes() > 1) {
                FieldNode elements = batch.nodes(node + 1);
                elementNulls[index] = elements.nullCount();
                elementCounts[index] = elements.length();
            }
            long count = field.buffers();
            int[] views = new int[field.views()];
            viewBuffers[index] = views;
            for (int each = 0; each < views.length; each++, view++) {
                long dataBuffers = batch.variadicBufferCounts(view);
                if (dataBuffers < 0 || dataBuffers > bufferCount) {
                    throw fault.corrupt(what + " counts " + dataBuffers + " data buffers of a view");
                }
                views[each] = (int) dataBuffers;
                count += dataBuffers;
            }
            if (count > bufferCount - buffer) {
                throw fault.corrupt(what + " has fewer buffers than the schema asks for");
            }
            firstBuffers[index] = buffer;
            bufferCounts[index] = (int) count;
            node += field.nodes();
            buffer += (int) count;
        }
        byte[] widths = isBigEndian ? widths(fields, firstBuffers, viewBuffers, bufferCount) : null;
        long[] offsets = new long[bufferCount];
        long[] lengths = new long[bufferCount];
        for (int index = 0; index < bufferCount; index++) {
            org.apache.arrow.flatbuf.Buffer range = batch.buffers(index);
            long offset = range.offset();
            long length = range.length();
            if (offset < 0 || length < 0 || offset > block.bodyBytes() || length > block.bodyBytes() - offset) {
                throw fault.corrupt("buffer " + index + " of " + what + " ends outside the batch");
            }
            offsets[index] = block.bodyOffset() + offset;
            lengths[index] = length;
        }
        return new BatchLayout(
                (int) rowCount,
                codec(batch, what),
                nullCounts,
                elementNulls,
                elementCounts,
                firstBuffers,
                bufferCounts,
                viewBuffers,
                offsets,
                lengths,
                widths);
    }

    private static byte[] widths(List<FileField> fields, int[] firstBuffers, int[][] viewBuffers, int bufferCount) {
        byte[] widths = new byte[bufferCount];
        Arrays.fill(widths, (byte) 1);
        for (int index = 0; index < fields.size(); index++) {
            int buffer = firstBuffers[index];
            int view = 0;
            for (byte width : fields.get(index).widths()) {
                widths[buffer++] = width;
                buffer += width == ByteSwap.VIEWS ? viewBuffers[index][view++] : 0;
            }
        }
        return widths;
    }

    private Codec codec(RecordBatch batch, String what) {
        org.apache.arrow.flatbuf.BodyCompression compression = batch.compression();
        if (compression == null) {
            return Codec.PLAIN;
        }
        if (compression.method() != org.apache.arrow.flatbuf.BodyCompressionMethod.BUFFER) {
            throw fault.unsupported(what + " is compressed by unknown method " + compression.method());
        }
        return switch (compression.codec()) {
            case org.apache.arrow.flatbuf.CompressionType.LZ4_FRAME -> Codec.LZ4_FRAME;
            case org.apache.arrow.flatbuf.CompressionType.ZSTD -> Codec.ZSTD;
            default -> throw fault.unsupported(what + " is compressed by unknown codec " + compression.codec());
        };
    }

    private Footer.Block block(org.apache.arrow.flatbuf.Block block, long footerOffset) {
        long offset = block.offset();
        long metadataBytes = block.metaDataLength();
        long bodyBytes = block.bodyLength();
        if (offset < 0
                || metadataBytes < 8
                || bodyBytes < 0
                || offset > footerOffset
                || metadataBytes > footerOffset - offset
                || bodyBytes > footerOffset - offset - metadataBytes) {
            throw fault.corrupt("a batch of " + bodyBytes + " bytes at " + offset + " ends outside the file");
        }
        return new Footer.Block(offset, (int) metadataBytes, bodyBytes);
    }

    private FileField field(org.apache.arrow.flatbuf.Field field) {
        Shape shape = new Shape();
        addShape(field, shape, 0);
        String name = field.name() == null ? "" : field.name();
        if (name.indexOf(0) >= 0) {
            // Clients are told names as texts that a NUL ends.
            throw fault.unsupported("the name of its column \"" + name.replace('\0', '\uFFFD')
                    + "\" has a NUL character, which no name in SQL can have");
        }
        Map<String, String> metadata = metadata(field);
        Map<String, String> whole = Map.copyOf(metadata);
        metadata.values().removeIf(value -> value.indexOf(0) >= 0);
        Storage storage = storage(field, metadata);
        FieldParts parts = new FieldParts(this, whole);
        return new FileField(
                typed(name, field, storage, metadata),
                storage,
                shape.nodes,
                shape.buffers,
                shape.views,
                whole,
                isBigEndian ? ByteSwap.widths(field) : List.of(),
                parts.of(field, storage, name),
                parts.ofElements(field, storage));
    }

    /// The field as Quarrel has it.
    static Field typed(
            String name, org.apache.arrow.flatbuf.Field field, Storage storage, Map<String, String> metadata) {
        metadata.values().removeIf(value -> value.indexOf(0) >= 0); // no name of a type has that character
        if (storage instanceof Storage.Listed
                || storage instanceof Storage.ListedViews
                || storage instanceof Storage.Structured) {
            String pgType = pgType(storage, metadata);
            metadata.remove("pg.type");
            if (pgType != null) {
                metadata.put("pg.type", pgType);
            }
        }
        return OtherTypeMetadata.field(name, storage.type(), field.nullable(), metadata);
    }

    Map<String, String> metadata(org.apache.arrow.flatbuf.Field field) {
        Map<String, String> metadata = new HashMap<>();
        for (int index = 0; index < checkedCount(field.customMetadataLength(), 4, Integer.MAX_VALUE); index++) {
            putMetadata(metadata, field.customMetadata(index));
        }
        if (FileField.JSON_EXTENSION.equals(metadata.get(FileField.EXTENSION_NAME))) {
            metadata.putIfAbsent("pg.type", PgType.JSON.formatName());
        }
        return metadata;
    }

    private Storage storage(org.apache.arrow.flatbuf.Field field, Map<String, String> metadata) {
        // The shape of fields within dictionaries is not looked at before.
        storageDepth++;
        if (storageDepth > MAX_DEPTH) {
            throw tooDeep();
        }
        Storage values = values(field, metadata);
        storageDepth--;
        return field.dictionary() == null ? values : coded(field, values);
    }

    private Storage values(org.apache.arrow.flatbuf.Field field, Map<String, String> metadata) {
        if (NumericStruct.is(field, metadata.get("pg.type"))) {
            return new Storage.UnscaledAndScale();
        }
        switch (field.typeType()) {
            case Type.List, Type.LargeList, Type.FixedSizeList, Type.Map -> {
                return listed(field, metadata);
            }
            case Type.Struct_ -> {
                return structured(field, metadata);
            }
            case Type.ListView, Type.LargeListView -> {
                return listViews(field);
            }
            case Type.RunEndEncoded -> {
                return runs(field);
            }
            case Type.Union -> {
                return union(field);
            }
            case Type.Binary -> {
                if (NestedMetadata.is(NestedMetadata.HEX, metadata)) {
                    return new Storage.HexBytes();
                }
            }
            default -> {}
        }
        boolean isUuid = FileField.UUID_EXTENSION.equals(metadata.get(FileField.EXTENSION_NAME))
                || "uuid".equals(metadata.get("pg.type"));
        Storage storage = FieldTypes.storage(field, isUuid);
        boolean isDocument = PgType.JSON.formatName().equals(metadata.get("pg.type"))
                || PgType.JSONB.formatName().equals(metadata.get("pg.type"));
        return isDocument && storage instanceof Storage.Text(DataType.Utf8 type, boolean isLarge, PgType _)
                ? new Storage.Text(
                        type, isLarge, PgType.parse(metadata.get("pg.type")).type())
                : storage;
    }

    private Storage listed(org.apache.arrow.flatbuf.Field field, Map<String, String> metadata) {
        Storage unreadable = new Storage.Unreadable(FieldTypes.name(field));
        if (field.childrenLength() != 1) {
            return unreadable;
        }
        org.apache.arrow.flatbuf.Field child = field.children(0);
        Map<String, String> childMetadata = metadata(child);
        if (PgType.UUID_ARRAY.formatName().equals(metadata.get("pg.type"))) {
            childMetadata.putIfAbsent("pg.type", PgType.UUID.formatName());
        }
        Storage element = storage(child, childMetadata);
        int offsetBytes =
                switch (field.typeType()) {
                    case Type.List, Type.Map -> 4;
                    case Type.LargeList -> 8;
                    default -> {
                        FixedSizeList type = (FixedSizeList) field.type(new FixedSizeList());
                        yield type == null ? 4 : -type.listSize();
                    }
                };
        if (element instanceof Storage.Unreadable || field.typeType() == Type.FixedSizeList && offsetBytes > 0) {
            return unreadable;
        }
        Storage.ListForm form = form(element, metadata);
        boolean isMap = field.typeType() == Type.Map
                && form == Storage.ListForm.ARRAY
                && element instanceof Storage.Structured entry
                && entry.members().size() == 2;
        return new Storage.Listed(element, offsetBytes, isMap ? Storage.ListForm.MAP : form);
    }

    private Storage listViews(org.apache.arrow.flatbuf.Field field) {
        if (field.childrenLength() != 1) {
            return new Storage.Unreadable(FieldTypes.name(field));
        }
        Storage element = storage(field.children(0), metadata(field.children(0)));
        return element instanceof Storage.Unreadable
                ? new Storage.Unreadable(FieldTypes.name(field))
                : new Storage.ListedViews(element, field.typeType() == Type.ListView ? 4 : 8);
    }

    private Storage runs(org.apache.arrow.flatbuf.Field field) {
        if (field.childrenLength() != 2) {
            return new Storage.Unreadable(FieldTypes.name(field));
        }
        Storage ends = storage(field.children(0), metadata(field.children(0)));
        Storage values = storage(field.children(1), metadata(field.children(1)));
        boolean isWhole = ends instanceof Storage.Fixed(DataType type)
                && (type instanceof DataType.Int16 || type instanceof DataType.Int32 || type instanceof DataType.Int64);
        return isWhole && !(values instanceof Storage.Unreadable)
                ? new Storage.Runs(ends.type().byteWidth(), values)
                : new Storage.Unreadable(FieldTypes.name(field));
    }

    private Storage union(org.apache.arrow.flatbuf.Field field) {
        Union type = (Union) field.type(new Union());
        // Older ones have a validity of their own.
        if (type == null || version == MetadataVersion.V4) {
            return new Storage.Unreadable(FieldTypes.name(field));
        }
        List<String> names = new ArrayList<>();
        List<Storage> members = new ArrayList<>();
        List<Integer> typeIds = new ArrayList<>();
        for (int index = 0; index < checkedCount(field.childrenLength(), 4, Integer.MAX_VALUE); index++) {
            org.apache.arrow.flatbuf.Field child = field.children(index);
            Storage member = storage(child, metadata(child));
            if (member instanceof Storage.Unreadable) {
                return new Storage.Unreadable(FieldTypes.name(field));
            }
            names.add(child.name() == null ? "" : child.name());
            members.add(member);
            typeIds.add(type.typeIdsLength() == 0 ? index : type.typeIds(index));
        }
        return new Storage.OneOf(names, members, typeIds, type.mode() == UnionMode.Dense);
    }

    private static Storage.ListForm form(Storage element, Map<String, String> metadata) {
        return switch (element) {
            // Other lists are elements with a text of their own.
            case Storage.Listed(Storage _, int _, Storage.ListForm inner)
            when inner.isArray() || inner == Storage.ListForm.DIMENSIONS -> Storage.ListForm.DIMENSIONS;
            case Storage.Structured(List<String> _, List<Storage> _, boolean isRange)
            when isRange && NestedMetadata.is(NestedMetadata.MULTIRANGE, metadata) -> Storage.ListForm.RANGES;
            case Storage.Structured(List<String> names, List<Storage> _, boolean _)
            when names.size() == 2 && NestedMetadata.is(NestedMetadata.HSTORE, metadata) -> Storage.ListForm.HSTORE;
            case Storage.Fixed(DataType type)
            when type instanceof DataType.Float32 && NestedMetadata.is(NestedMetadata.VECTOR, metadata) ->
                Storage.ListForm.VECTOR;
            default -> Storage.ListForm.ARRAY;
        };
    }

    private Storage structured(org.apache.arrow.flatbuf.Field field, Map<String, String> metadata) {
        List<String> names = new ArrayList<>();
        List<Storage> members = new ArrayList<>();
        for (int index = 0; index < checkedCount(field.childrenLength(), 4, Integer.MAX_VALUE); index++) {
            org.apache.arrow.flatbuf.Field child = field.children(index);
            Storage member = storage(child, metadata(child));
            if (member instanceof Storage.Unreadable) {
                return new Storage.Unreadable(FieldTypes.name(field));
            }
            names.add(child.name() == null ? "" : child.name());
            members.add(member);
        }
        boolean isRange = NestedMetadata.is(NestedMetadata.RANGE, metadata)
                && names.equals(NestedType.Range.NAMES)
                && members.subList(2, members.size()).stream().allMatch(Storage.Bits.class::isInstance);
        return new Storage.Structured(names, members, isRange);
    }

    /// Which type of PostgreSQL's lists or structs are: the one that the file says, if their text can be that; or the
    /// array of their elements' type; null for text.
    private static String pgType(Storage storage, Map<String, String> metadata) {
        String declared = metadata.get("pg.type");
        boolean isList = storage instanceof Storage.Listed || storage instanceof Storage.ListedViews;
        Storage element = storage instanceof Storage.ListedViews(Storage of, int _) ? of : storage;
        while (element instanceof Storage.Listed(Storage inner, int _, Storage.ListForm _)) {
            element = inner;
        }
        DataType elementType = element.type();
        boolean isFlat = !(element instanceof Storage.Structured
                || element instanceof Storage.ListedViews
                || element instanceof Storage.OneOf);
        if (declared != null) {
            PgType known = knownType(declared);
            boolean fits = known == null
                    ? metadata.containsKey("pg.oid")
                    : isList
                            && known.isArray()
                            && isFlat
                            && (elementType instanceof DataType.Utf8
                                    || known.element().dataType().equals(elementType)
                                    || known == PgType.NUMERIC_ARRAY && elementType instanceof DataType.Decimal);
            if (fits) {
                return declared;
            }
        }
        PgType held = element instanceof Storage.Text text ? text.holds() : PgType.of(elementType);
        return isList && isFlat ? held.array().map(PgType::formatName).orElse(null) : null;
    }

    /// Null for a type that has no row, and for those of the catalogs, which files have texts of.
    private static PgType knownType(String name) {
        try {
            PgType known = PgType.parse(name).type();
            return known.isOfCatalogs() ? null : known;
        } catch (QueryException _) {
            return null;
        }
    }

    private static final class Shape {
        private int nodes;
        private int buffers;
        private int views;
        private List<Byte> widths = List.of();
    }

    private void addShape(org.apache.arrow.flatbuf.Field field, Shape shape, int depth) {
        if (field.dictionary() != null) {
            fieldCount++;
            shape.nodes++;
            shape.buffers += 2;
            return;
        }
        addValueShape(field, shape, depth);
    }

    private QueryException tooDeep() {
        return fault.unsupported("its schema has more than " + MAX_FIELDS + " fields or " + MAX_DEPTH + " levels");
    }

    /// The shape of a field's values, be they in a dictionary or not.
    private void addValueShape(org.apache.arrow.flatbuf.Field field, Shape shape, int depth) {
        fieldCount++;
        if (depth > MAX_DEPTH || fieldCount > MAX_FIELDS) {
            throw tooDeep();
        }
        shape.nodes++;
        switch (field.typeType()) {
            case Type.Null, Type.RunEndEncoded -> {}
            case Type.Utf8, Type.Binary, Type.LargeUtf8, Type.LargeBinary -> shape.buffers += 3;
            case Type.Utf8View, Type.BinaryView -> {
                shape.buffers += 2;
                shape.views++;
            }
            case Type.ListView, Type.LargeListView -> shape.buffers += 3;
            case Type.FixedSizeList, Type.Struct_ -> shape.buffers += 1;
            case Type.Union -> {
                Union union = (Union) field.type(new Union());
                int typeIds = union != null && union.mode() == UnionMode.Dense ? 2 : 1;
                shape.buffers += version == MetadataVersion.V4 ? typeIds + 1 : typeIds;
            }
            default -> shape.buffers += 2;
        }
        for (int index = 0; index < checkedCount(field.childrenLength(), 4, Integer.MAX_VALUE); index++) {
            addShape(field.children(index), shape, depth + 1);
        }
    }

    private Storage coded(org.apache.arrow.flatbuf.Field field, Storage values) {
        DictionaryEncoding encoding = field.dictionary();
        boolean isText = values.type() instanceof DataType.Utf8 || values.type() instanceof DataType.Binary;
        Storage entries = values instanceof Storage.Unreadable || values instanceof Storage.AllNull
                ? new Storage.Unreadable("dictionary of " + FieldTypes.name(field))
                : values;
        Storage known = dictionaryValues.putIfAbsent(encoding.id(), entries);
        if (known == null) {
            Shape shape = new Shape();
            addValueShape(field, shape, 0);
            shape.widths = isBigEndian ? ByteSwap.valueWidths(field) : List.of();
            dictionaryShapes.put(encoding.id(), shape);
        }
        // Ones of two types that are not read anyway do no harm.
        boolean isRead = !(entries instanceof Storage.Unreadable && known instanceof Storage.Unreadable);
        if (known != null && !known.equals(entries) && isRead) {
            throw fault.corrupt("dictionary " + encoding.id() + " is shared by fields of different types, "
                    + described(known) + " and " + described(entries));
        }
        if (entries instanceof Storage.Unreadable) {
            return entries;
        }
        // No index type means signed 32 bits.
        Int index = encoding.indexType();
        int bits = index == null ? 32 : index.bitWidth();
        return switch (bits) {
            case 8, 16, 32, 64 ->
                isText
                        ? new Storage.Coded(values.type(), encoding.id(), bits / 8)
                        : new Storage.Gathered(values, encoding.id(), bits / 8);
            default -> throw fault.corrupt("dictionary codes of " + bits + " bits");
        };
    }

    private static String described(Storage entries) {
        return entries instanceof Storage.Unreadable(String what) ? what : "dictionary of " + entries;
    }

    /// A vector's length, once it is known that the vector can fit where it stands.
    private int checkedCount(int count, int elementBytes, int availableBytes) {
        if (count < 0 || (long) count * elementBytes > availableBytes) {
            throw fault.corrupt("a list of " + count + " entries does not fit in its metadata");
        }
        return count;
    }

    /// Flatbuffers checks nothing by itself: wild offsets surface as whatever the byte array throws.
    private <T> T malformedIfThrows(String reason, Supplier<T> read) {
        try {
            return read.get();
        } catch (IndexOutOfBoundsException
                | IllegalArgumentException
                | NegativeArraySizeException
                | NullPointerException
                | UnsupportedOperationException
                | ArithmeticException
                | java.nio.BufferUnderflowException e) {
            throw fault.corrupt(reason, e);
        }
    }
}
