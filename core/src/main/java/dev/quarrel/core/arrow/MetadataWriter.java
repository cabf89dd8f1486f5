package dev.quarrel.core.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StromStats;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.arrow.flatbuf.Binary;
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
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;

/// Turns our records into a file's flatbuffers.
///
/// - Source: Arrow's File.fbs, Schema.fbs and Message.fbs.
final class MetadataWriter {
    private static final String ITEM = "item";

    private final Schema schema;
    private final Map<FieldPath, Codes> codes;
    private final Map<Integer, NestedType> nested;
    private final Set<Integer> halves;
    private final boolean largeOffsets;

    /// @param codes those of dictionary-encoded columns, and of members of structs
    /// @param nested the types of columns written as lists or structs, by field
    /// @param halves the fields written as half floats
    /// @param largeOffsets whether texts and bytes have offsets of 8 bytes
    MetadataWriter(
            Schema schema,
            Map<FieldPath, Codes> codes,
            Map<Integer, NestedType> nested,
            Set<Integer> halves,
            boolean largeOffsets) {
        this.schema = schema;
        this.nested = nested;
        this.halves = halves;
        this.largeOffsets = largeOffsets;
        this.codes = codes;
    }

    /// Of which dictionary codes are, and their width.
    record Codes(int id, int bytes) {}

    /// A field of a batch, or a field within one.
    record Node(long rowCount, long nullCount) {}

    /// @param lengths one a buffer: bytes without padding
    /// @param nodes a field's own before those within it
    record Body(long rowCount, List<Node> nodes, long[] offsets, long[] lengths, long bodyBytes, Codec codec) {}

    byte[] schemaMessage() {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        return message(builder, MessageHeader.Schema, schema(builder, null), 0, 0);
    }

    static byte[] batchMessage(Body body, Map<String, String> metadata) {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        int metadataOffset = keyValues(builder, metadata, Message::createCustomMetadataVector);
        int batch = recordBatch(builder, body);
        return message(builder, MessageHeader.RecordBatch, batch, body.bodyBytes(), metadataOffset);
    }

    static byte[] dictionaryMessage(long id, Body body) {
        FlatBufferBuilder builder = new FlatBufferBuilder(256);
        int data = recordBatch(builder, body);
        int dictionary = DictionaryBatch.createDictionaryBatch(builder, id, data, false);
        return message(builder, MessageHeader.DictionaryBatch, dictionary, body.bodyBytes(), 0);
    }

    byte[] footer(
            List<Footer.Block> dictionaries,
            List<Footer.Block> batches,
            Map<String, String> metadata,
            FileStats stats) {
        FlatBufferBuilder builder = new FlatBufferBuilder(4096);
        int schemaOffset = schema(builder, stats);
        int metadataOffset = keyValues(builder, metadata, org.apache.arrow.flatbuf.Footer::createCustomMetadataVector);
        org.apache.arrow.flatbuf.Footer.startDictionariesVector(builder, dictionaries.size());
        int dictionariesOffset = blocks(builder, dictionaries);
        org.apache.arrow.flatbuf.Footer.startRecordBatchesVector(builder, batches.size());
        int batchesOffset = blocks(builder, batches);
        int footer = org.apache.arrow.flatbuf.Footer.createFooter(
                builder, MetadataVersion.V5, schemaOffset, dictionariesOffset, batchesOffset, metadataOffset);
        builder.finish(footer);
        return builder.sizedByteArray();
    }

    private static byte[] message(
            FlatBufferBuilder builder, byte headerType, int header, long bodyBytes, int metadata) {
        builder.finish(Message.createMessage(builder, MetadataVersion.V5, headerType, header, bodyBytes, metadata));
        return builder.sizedByteArray();
    }

    private static int blocks(FlatBufferBuilder builder, List<Footer.Block> blocks) {
        for (int index = blocks.size() - 1; index >= 0; index--) {
            Footer.Block block = blocks.get(index);
            Block.createBlock(builder, block.offset(), block.metadataBytes(), block.bodyBytes());
        }
        return builder.endVector();
    }

    private static int recordBatch(FlatBufferBuilder builder, Body body) {
        RecordBatch.startNodesVector(builder, body.nodes().size());
        for (Node node : body.nodes().reversed()) {
            FieldNode.createFieldNode(builder, node.rowCount(), node.nullCount());
        }
        int nodes = builder.endVector();
        RecordBatch.startBuffersVector(builder, body.offsets().length);
        for (int buffer = body.offsets().length - 1; buffer >= 0; buffer--) {
            Buffer.createBuffer(builder, body.offsets()[buffer], body.lengths()[buffer]);
        }
        int buffers = builder.endVector();
        int compression =
                switch (body.codec()) {
                    case PLAIN -> 0;
                    case LZ4_FRAME ->
                        BodyCompression.createBodyCompression(
                                builder, CompressionType.LZ4_FRAME, BodyCompressionMethod.BUFFER);
                    case ZSTD ->
                        BodyCompression.createBodyCompression(
                                builder, CompressionType.ZSTD, BodyCompressionMethod.BUFFER);
                };
        return RecordBatch.createRecordBatch(builder, body.rowCount(), nodes, buffers, compression, 0);
    }

    /// @param stats of the whole file; null before it is known
    private int schema(FlatBufferBuilder builder, FileStats stats) {
        int[] fields = new int[schema.size()];
        for (int index = 0; index < fields.length; index++) {
            fields[index] = field(builder, index, stats);
        }
        int fieldsOffset = org.apache.arrow.flatbuf.Schema.createFieldsVector(builder, fields);
        return org.apache.arrow.flatbuf.Schema.createSchema(builder, Endianness.Little, fieldsOffset, 0, 0);
    }

    private int field(FlatBufferBuilder builder, int index, FileStats stats) {
        Field field = schema.field(index);
        int name = builder.createString(field.name());
        FieldPath path = new FieldPath(field.name());
        int dictionary = dictionary(builder, path);
        Map<String, String> metadata = new TreeMap<>();
        if (field.pgType() != null) {
            metadata.put("pg.type", field.pgType());
            metadata.put(
                    "pg.oid", Integer.toUnsignedString(PgType.Declared.of(field).oid()));
        }
        if (field.pgType() == null && field.type() instanceof DataType.Numeric) {
            metadata.put("pg.type", PgType.NUMERIC.formatName()); // by which readers know the struct
        }
        if (field.other() != null) {
            metadata.putAll(OtherTypeMetadata.write(field.other()));
        }
        metadata.putAll(CollationMetadata.write(field.collation()));
        if (field.type() instanceof DataType.Uuid) {
            metadata.put(FileField.EXTENSION_NAME, FileField.UUID_EXTENSION);
            metadata.put(FileField.EXTENSION_METADATA, "");
        }
        if (stats != null) {
            List<ColumnStats> batches = stats.batches().stream()
                    .map(batch -> batch.columns().get(index))
                    .toList();
            metadata.putAll(StromStats.ofField(field.type(), batches));
        }
        NestedType nestedType = nested.get(index);
        if (nestedType != null) {
            metadata.putAll(form(nestedType));
        }
        int metadataOffset = keyValues(builder, metadata, org.apache.arrow.flatbuf.Field::createCustomMetadataVector);
        int children = org.apache.arrow.flatbuf.Field.createChildrenVector(
                builder, nestedType != null ? members(builder, path, nestedType) : members(builder, index));
        byte typeType = nestedType != null ? typeType(nestedType) : typeType(field.type());
        int type;
        if (nestedType != null) {
            type = type(builder, nestedType);
        } else if (halves.contains(index)) {
            type = FloatingPoint.createFloatingPoint(builder, Precision.HALF);
        } else {
            type = type(builder, field.type());
            // Both tables are empty; a dictionary's texts stay below 2 GiB.
            typeType = largeOffsets && dictionary == 0
                    ? switch (typeType) {
                        case Type.Utf8 -> Type.LargeUtf8;
                        case Type.Binary -> Type.LargeBinary;
                        default -> typeType;
                    }
                    : typeType;
        }
        return org.apache.arrow.flatbuf.Field.createField(
                builder, name, field.nullable(), typeType, type, dictionary, children, metadataOffset);
    }

    /// What a field says of its codes; 0 for values.
    private int dictionary(FlatBufferBuilder builder, FieldPath path) {
        Codes coded = codes.get(path);
        return coded == null
                ? 0
                : DictionaryEncoding.createDictionaryEncoding(
                        builder,
                        coded.id(),
                        Int.createInt(builder, coded.bytes() * 8, true),
                        false,
                        DictionaryKind.DenseArray);
    }

    private static Map<String, String> form(NestedType type) {
        return switch (type) {
            case NestedType.Range _ -> Map.of(NestedMetadata.FORM, NestedMetadata.RANGE);
            case NestedType.Multirange _ -> Map.of(NestedMetadata.FORM, NestedMetadata.MULTIRANGE);
            case NestedType.Vector _ -> Map.of(NestedMetadata.FORM, NestedMetadata.VECTOR);
            case NestedType.Hstore _ -> Map.of(NestedMetadata.FORM, NestedMetadata.HSTORE);
            case NestedType.Hex _ ->
                Map.of(
                        NestedMetadata.FORM,
                        NestedMetadata.HEX,
                        FileField.EXTENSION_NAME,
                        NestedMetadata.WKB_EXTENSION,
                        FileField.EXTENSION_METADATA,
                        "{}");
            case NestedType.Leaf leaf
            when leaf.dataType() instanceof DataType.Uuid ->
                Map.of(FileField.EXTENSION_NAME, FileField.UUID_EXTENSION, FileField.EXTENSION_METADATA, "");
            case NestedType.Leaf(PgType document, DataType _)
            when document == PgType.JSON || document == PgType.JSONB -> Map.of("pg.type", document.formatName());
            case NestedType.Leaf _, NestedType.Array _, NestedType.Composite _, NestedType.Pairs _ -> Map.of();
        };
    }

    private static byte typeType(NestedType type) {
        return switch (type) {
            case NestedType.Leaf leaf -> typeType(leaf.dataType());
            case NestedType.Array _, NestedType.Multirange _, NestedType.Vector _ -> Type.List;
            case NestedType.Hstore _, NestedType.Pairs _ -> Type.Map;
            case NestedType.Hex _ -> Type.Binary;
            case NestedType.Composite _, NestedType.Range _ -> Type.Struct_;
        };
    }

    private static int type(FlatBufferBuilder builder, NestedType type) {
        return switch (type) {
            case NestedType.Leaf leaf -> type(builder, leaf.dataType());
            case NestedType.Hstore _, NestedType.Pairs _ -> org.apache.arrow.flatbuf.Map.createMap(builder, false);
            case NestedType.Hex _ -> type(builder, DataType.BINARY);
            case NestedType.Array _, NestedType.Multirange _, NestedType.Vector _ -> {
                org.apache.arrow.flatbuf.List.startList(builder);
                yield org.apache.arrow.flatbuf.List.endList(builder);
            }
            case NestedType.Composite _, NestedType.Range _ -> {
                Struct_.startStruct_(builder);
                yield Struct_.endStruct_(builder);
            }
        };
    }

    /// @param path of structs that are in no list; null for others
    private int[] members(FlatBufferBuilder builder, FieldPath path, NestedType type) {
        return switch (type) {
            case NestedType.Leaf _, NestedType.Hex _ -> new int[0];
            case NestedType.Vector _ ->
                new int[] {member(builder, ITEM, new NestedType.Leaf(PgType.FLOAT4, DataType.FLOAT32))};
            case NestedType.Hstore _ -> members(builder, null, new NestedType.Pairs(NestedType.TEXT, NestedType.TEXT));
            case NestedType.Pairs(NestedType keyType, NestedType valueType) -> {
                int key = member(builder, null, "key", false, keyType);
                int value = member(builder, null, "value", true, valueType);
                int name = builder.createString("entries");
                int children = org.apache.arrow.flatbuf.Field.createChildrenVector(builder, new int[] {key, value});
                Struct_.startStruct_(builder);
                int struct = Struct_.endStruct_(builder);
                yield new int[] {
                    org.apache.arrow.flatbuf.Field.createField(
                            builder, name, false, Type.Struct_, struct, 0, children, 0)
                };
            }
            case NestedType.Array(NestedType element, int dimensions) ->
                new int[] {
                    member(builder, ITEM, dimensions == 1 ? element : new NestedType.Array(element, dimensions - 1))
                };
            case NestedType.Multirange(NestedType.Range range) -> new int[] {member(builder, ITEM, range)};
            case NestedType.Composite(List<NestedType.Member> members) ->
                members.stream()
                        .mapToInt(member -> member(
                                builder,
                                path == null ? null : path.child(member.name()),
                                member.name(),
                                true,
                                member.type()))
                        .toArray();
            case NestedType.Range(NestedType.Leaf bound) -> {
                NestedType.Leaf flag = new NestedType.Leaf(PgType.BOOL, DataType.BOOL);
                yield new int[] {
                    member(builder, NestedType.Range.LOWER, bound),
                    member(builder, NestedType.Range.UPPER, bound),
                    member(builder, NestedType.Range.LOWER_INC, flag),
                    member(builder, NestedType.Range.UPPER_INC, flag),
                    member(builder, NestedType.Range.EMPTY, flag)
                };
            }
        };
    }

    private int member(FlatBufferBuilder builder, String memberName, NestedType type) {
        return member(builder, null, memberName, true, type);
    }

    private int member(
            FlatBufferBuilder builder, FieldPath path, String memberName, boolean nullable, NestedType type) {
        int name = builder.createString(memberName);
        int dictionary = path == null ? 0 : dictionary(builder, path);
        int children = org.apache.arrow.flatbuf.Field.createChildrenVector(builder, members(builder, path, type));
        int metadata = keyValues(builder, form(type), org.apache.arrow.flatbuf.Field::createCustomMetadataVector);
        return org.apache.arrow.flatbuf.Field.createField(
                builder, name, nullable, typeType(type), type(builder, type), dictionary, children, metadata);
    }

    private int[] members(FlatBufferBuilder builder, int index) {
        return schema.type(index) instanceof DataType.Numeric
                ? new int[] {
                    member(
                            builder,
                            NumericStruct.UNSCALED,
                            false,
                            Type.Decimal,
                            Decimal.createDecimal(builder, DataType.Decimal.MAX_PRECISION, 0, 128)),
                    member(builder, NumericStruct.SCALE, false, Type.Int, Int.createInt(builder, 16, true))
                }
                : new int[0];
    }

    private static int member(FlatBufferBuilder builder, String memberName, boolean nullable, byte typeType, int type) {
        int name = builder.createString(memberName);
        int children = org.apache.arrow.flatbuf.Field.createChildrenVector(builder, new int[0]);
        return org.apache.arrow.flatbuf.Field.createField(builder, name, nullable, typeType, type, 0, children, 0);
    }

    private static byte typeType(DataType type) {
        return switch (type) {
            case DataType.Bool _ -> Type.Bool;
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> Type.Int;
            case DataType.Float32 _, DataType.Float64 _ -> Type.FloatingPoint;
            case DataType.Decimal _ -> Type.Decimal;
            case DataType.Date _ -> Type.Date;
            case DataType.Timestamp _ -> Type.Timestamp;
            case DataType.Uuid _ -> Type.FixedSizeBinary;
            case DataType.Time _ -> Type.Time;
            case DataType.Interval _ -> Type.Interval;
            case DataType.Utf8 _ -> Type.Utf8;
            case DataType.Binary _ -> Type.Binary;
            case DataType.Numeric _ -> Type.Struct_;
        };
    }

    private static int type(FlatBufferBuilder builder, DataType type) {
        return switch (type) {
            case DataType.Bool _ -> {
                Bool.startBool(builder);
                yield Bool.endBool(builder);
            }
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ ->
                Int.createInt(builder, type.byteWidth() * 8, true);
            case DataType.Float32 _ -> FloatingPoint.createFloatingPoint(builder, Precision.SINGLE);
            case DataType.Float64 _ -> FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE);
            case DataType.Decimal(int precision, int scale) -> Decimal.createDecimal(builder, precision, scale, 128);
            case DataType.Date _ -> Date.createDate(builder, DateUnit.DAY);
            case DataType.Timestamp(boolean withZone) ->
                Timestamp.createTimestamp(builder, TimeUnit.MICROSECOND, withZone ? builder.createString("UTC") : 0);
            case DataType.Uuid _ -> FixedSizeBinary.createFixedSizeBinary(builder, type.byteWidth());
            case DataType.Binary _ -> {
                Binary.startBinary(builder);
                yield Binary.endBinary(builder);
            }
            case DataType.Time _ -> Time.createTime(builder, TimeUnit.MICROSECOND, 64);
            case DataType.Interval _ ->
                org.apache.arrow.flatbuf.Interval.createInterval(builder, IntervalUnit.MONTH_DAY_NANO);
            case DataType.Utf8 _ -> {
                Utf8.startUtf8(builder);
                yield Utf8.endUtf8(builder);
            }
            case DataType.Numeric _ -> {
                Struct_.startStruct_(builder);
                yield Struct_.endStruct_(builder);
            }
        };
    }

    private interface VectorOfOffsets {
        int create(FlatBufferBuilder builder, int[] offsets);
    }

    private static int keyValues(FlatBufferBuilder builder, Map<String, String> metadata, VectorOfOffsets vector) {
        if (metadata.isEmpty()) {
            return 0;
        }
        int[] offsets = new int[metadata.size()];
        int index = 0;
        for (Map.Entry<String, String> entry : new TreeMap<>(metadata).entrySet()) {
            int key = builder.createString(entry.getKey());
            int value = builder.createString(entry.getValue());
            offsets[index++] = KeyValue.createKeyValue(builder, key, value);
        }
        return vector.create(builder, offsets);
    }
}
