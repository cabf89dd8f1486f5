package dev.quarrel.core.parquet;

import dev.quarrel.core.arrow.Codec;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The pages of one column in one row group, kept until the group is complete.
///
/// Pages hold up to 32,768 rows, or about a MiB. Texts are codes into a dictionary while it has room; pages after that
/// are plain.
///
/// - Source: Parquet format, "Encodings" and "Data Pages".
final class ColumnChunk {
    private static final int PAGE_ROWS = 1 << 15;
    private static final int PAGE_BYTES = 1 << 20;
    private static final int DATA_PAGE = 0;
    private static final int DICTIONARY_PAGE = 2;
    private static final int PLAIN = 0;
    private static final int RLE = 3;
    private static final int RLE_DICTIONARY = 8;

    private final Field field;
    private final ParquetType type;
    private final Codec codec;
    private final int zstdLevel;
    private final ValueEncoder encoder;

    // of the page that is being filled
    private final long[] present = new long[PAGE_ROWS / 64];
    private final ByteQueue values = new ByteQueue();
    private int[] codes = new int[0];
    private int pageRows;
    private int pageValues;

    // of the chunk
    private final List<byte[]> pieces = new ArrayList<>();
    private TextDictionary dictionary;
    private boolean isCoded;
    private boolean hasPlainPages;
    private Bounds bounds;
    private long bytes;
    private long plainBytes;
    private long rows;
    private long nulls;

    ColumnChunk(Field field, Codec codec, int zstdLevel) {
        this.field = field;
        this.type = ParquetType.of(field);
        this.codec = codec;
        this.zstdLevel = zstdLevel;
        this.encoder = new ValueEncoder(field, type);
        clear();
    }

    private void clear() {
        pieces.clear();
        isCoded = type.physical() == ParquetType.BYTE_ARRAY;
        dictionary = isCoded ? new TextDictionary() : null;
        hasPlainPages = false;
        bounds = new Bounds(type);
        bytes = 0;
        plainBytes = 0;
        rows = 0;
        nulls = 0;
    }

    ParquetType type() {
        return type;
    }

    /// What is kept of the group, with the dictionary's texts and the page that is being filled: of many columns these
    /// are the most.
    long byteCount() {
        return bytes
                + values.size()
                + pageValues * 4L
                + (dictionary == null ? 0 : dictionary.plain().size());
    }

    /// Appends rows [from, to) of `column`.
    void append(Column column, int from, int to) {
        boolean isAllPresent = column.validity().isAllPresent();
        for (int row = from; row < to; row++) {
            if (isAllPresent || column.validity().isPresent(row)) {
                appendValue(column, row);
                present[pageRows >> 6] |= 1L << pageRows;
                pageValues++;
            } else if (!field.nullable()) {
                throw new IllegalStateException("NULL in column " + field);
            }
            pageRows++;
            if (pageRows == PAGE_ROWS || values.size() >= PAGE_BYTES) {
                finishPage();
            }
        }
    }

    private void appendValue(Column column, int row) {
        if (isCoded) {
            int code = encoder.code(column, row, dictionary);
            if (code >= 0) {
                if (pageValues == codes.length) {
                    codes = Arrays.copyOf(codes, Math.min(PAGE_ROWS, Math.max(64, codes.length * 2)));
                }
                codes[pageValues] = code;
                return;
            }
            startPlainPages();
        }
        encoder.append(column, row, values, bounds);
    }

    /// The dictionary is full: what the page has so far is one of codes.
    private void startPlainPages() {
        if (pageRows > 0) {
            finishPage();
        }
        isCoded = false;
    }

    private void finishPage() {
        // Where no text came yet there is no dictionary, and maybe never will be.
        boolean isOfCodes = isCoded && dictionary.size() > 0;
        ByteQueue body = new ByteQueue();
        if (field.nullable()) {
            putLevels(body);
        }
        if (isOfCodes) {
            putCodes(body);
        } else if (type.physical() == ParquetType.BOOLEAN) {
            putBits(body);
        } else {
            body.put(values.array(), 0, values.size());
        }
        hasPlainPages |= !isOfCodes;
        addPage(pieces.size(), DATA_PAGE, pageRows, isOfCodes ? RLE_DICTIONARY : PLAIN, body);
        rows += pageRows;
        nulls += pageRows - pageValues;
        Arrays.fill(present, 0);
        values.clear();
        pageRows = 0;
        pageValues = 0;
    }

    /// The definition levels: 1 where there is a value, after their length in bytes.
    private void putLevels(ByteQueue body) {
        ByteQueue levels = new ByteQueue();
        if (pageValues == pageRows || pageValues == 0) {
            levels.putVarint(pageRows << 1);
            levels.put(pageValues == 0 ? 0 : 1);
        } else {
            int groups = (pageRows + 7) / 8;
            levels.putVarint(groups << 1 | 1);
            for (int group = 0; group < groups; group++) {
                levels.put((int) (present[group >> 3] >>> 8 * (group & 7)));
            }
        }
        body.putInt(levels.size());
        body.put(levels.array(), 0, levels.size());
    }

    private void putBits(ByteQueue body) {
        byte[] bools = values.array();
        for (int first = 0; first < pageValues; first += 8) {
            int bits = 0;
            for (int at = first; at < Math.min(pageValues, first + 8); at++) {
                bits |= bools[at] << (at - first);
            }
            body.put(bits);
        }
    }

    /// The width of a code in bits, then all codes packed, eight at a time.
    private void putCodes(ByteQueue body) {
        int width = Math.max(1, 32 - Integer.numberOfLeadingZeros(Math.max(0, dictionary.size() - 1)));
        body.put(width);
        if (pageValues == 0) {
            return;
        }
        int groups = (pageValues + 7) / 8;
        body.putVarint(groups << 1 | 1);
        long bits = 0;
        int bitCount = 0;
        for (int at = 0; at < groups * 8; at++) {
            bits |= (long) (at < pageValues ? codes[at] : 0) << bitCount;
            for (bitCount += width; bitCount >= 8; bitCount -= 8) {
                body.put((int) bits);
                bits >>>= 8;
            }
        }
    }

    /// Adds a page's header and body before piece `place`.
    private void addPage(int place, int kind, int valueCount, int encoding, ByteQueue body) {
        byte[] packed = codec.block(body.array(), body.size(), zstdLevel);
        CompactWriter header = new CompactWriter();
        header.int32(1, kind);
        header.int32(2, body.size());
        header.int32(3, packed.length);
        header.struct(kind == DATA_PAGE ? 5 : 7);
        header.int32(1, valueCount);
        header.int32(2, encoding);
        if (kind == DATA_PAGE) {
            header.int32(3, RLE);
            header.int32(4, RLE);
        }
        header.end();
        header.stop();
        byte[] head = header.bytes();
        pieces.add(place, head);
        pieces.add(place + 1, packed);
        bytes += head.length + packed.length;
        plainBytes += head.length + body.size();
    }

    /// What a row group's metadata says of a chunk.
    ///
    /// @param metadata the struct ColumnMetaData, complete
    /// @param bytes in the file
    /// @param plainBytes without compression
    record Written(CompactWriter.Fields metadata, long bytes, long plainBytes) {}

    /// Writes the chunk, and begins the next.
    ///
    /// @param position where the chunk begins in the file
    Written finish(OutputStream out, long position) throws IOException {
        if (pageRows > 0) {
            finishPage();
        }
        boolean hasDictionary = dictionary != null && dictionary.size() > 0;
        if (hasDictionary) {
            addPage(0, DICTIONARY_PAGE, dictionary.size(), PLAIN, dictionary.plain());
            for (byte[] entry : dictionary.entries()) {
                bounds.see(entry, 0, entry.length);
            }
        }
        for (byte[] piece : pieces) {
            out.write(piece, 0, piece.length);
        }
        long firstPage = position + (hasDictionary ? pieces.get(0).length + pieces.get(1).length : 0);
        List<Integer> encodings = new ArrayList<>(List.of(RLE));
        if (hasPlainPages || hasDictionary) {
            encodings.add(PLAIN);
        }
        if (hasDictionary) {
            encodings.add(RLE_DICTIONARY);
        }
        Bounds ended = bounds;
        long rowCount = rows;
        long nullCount = nulls;
        long byteCount = bytes;
        long plainCount = plainBytes;
        clear();
        return new Written(
                to -> {
                    to.int32(1, type.physical());
                    to.list(2, CompactWriter.INT32, encodings.size());
                    encodings.forEach(to::element);
                    to.list(3, CompactWriter.BINARY, 1);
                    to.element(field.name().getBytes(StandardCharsets.UTF_8));
                    to.int32(4, codecNumber());
                    to.int64(5, rowCount);
                    to.int64(6, plainCount);
                    to.int64(7, byteCount);
                    to.int64(9, firstPage);
                    if (hasDictionary) {
                        to.int64(11, position);
                    }
                    to.struct(12);
                    to.int64(3, nullCount);
                    ended.write(to);
                    to.end();
                },
                byteCount,
                plainCount);
    }

    private int codecNumber() {
        return switch (codec) {
            case PLAIN -> 0;
            case ZSTD -> 6;
            case LZ4_FRAME -> 7; // LZ4_RAW
        };
    }
}
