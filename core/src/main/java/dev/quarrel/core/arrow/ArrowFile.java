package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// An Arrow IPC file, or an IPC stream in a file: its record batches as columns over its bytes in memory.
///
/// Files of our own runs are mapped and read in place; of others, which may change at any time, a copy is read
/// ([CopiedBytes]).
///
/// Opening checks magic, footer, the place of every batch and buffer, and the lengths of all columns; a column's
/// values are checked once, when first read (text offsets and UTF-8, dictionary codes). So a file of any content gives
/// rows or a `QueryException`.
///
/// - Memory: the mapping lives until `close`; columns read from it die with it. Bounds: the mapping is address space,
///   not memory; footer and batch headers are copied to the heap.
/// - Errors: `QueryException` naming the file: 58030 when it cannot be read, lacks its end, or was cut short or changed
///   since, XX001 when its bytes make no sense, 0A000 for parts of the format that Quarrel does not read (a column of
///   an unknown type only when that column is read).
/// - Threads: share it freely, except `close`.
/// - Source: Arrow columnar format, section "IPC File Format".
public final class ArrowFile implements AutoCloseable {
    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final int TRAILER_BYTES = 4 + MAGIC.length;
    private static final int MAX_METADATA_BYTES = 1 << 30;
    private static final int CONTINUATION = -1;

    /// As many rows as a piece of a batch has at most, and bytes; tests have fewer.
    private static final int PIECE_ROWS = Integer.getInteger("quarrel.piece_rows", 1 << 15);

    private static final long PIECE_BYTES = 64L << 20;

    /// Of text that is made of values for each of their bytes, and of values as narrow as a bit.
    private static final int TEXT_GROWTH = 5;

    private static final int NARROW_GROWTH = 20;

    private final Path path;
    private final FileFault fault;
    private final FileBytes bytes;
    private final boolean isStream;
    private final Footer footer;
    private final Schema schema;
    private final Map<String, Integer> columnIndexes = new HashMap<>();
    private final List<FilePart> parts;
    private final int[] partRoots; // the column of each part
    private final Schema wholeSchema;
    private final BatchLayout[] batches;
    private final List<BatchPiece> pieces;
    private final int[] firstPieces; // of each batch
    private final long rowCount;
    private final List<MetadataReader.DictionaryLayout> dictionaryLayouts;

    /// One byte a piece and column: 1 once its values are checked, 2 once those within its lists are. Races
    /// are harmless: the check is repeated.
    private final byte[] checked;

    private final OwnedMemory dictionaryMemory = new OwnedMemory(); // guarded by dictionaries
    private final Map<Long, Dictionary> dictionaries = new HashMap<>(); // guarded by itself
    private final Map<Long, Column> otherDictionaries = new HashMap<>(); // of no texts; guarded by dictionaries
    private final FileDictionaries lookup = new FileDictionaries() {
        @Override
        public Dictionary texts(long id) {
            return dictionary(id);
        }

        @Override
        public Column entries(long id) {
            return ArrowFile.this.entries(id);
        }
    };

    private ArrowFile(Path path, FileFault fault, FileBytes bytes) {
        this.path = path;
        this.fault = fault;
        this.bytes = bytes;
        MetadataReader reader = new MetadataReader(fault);
        this.isStream = IpcStream.is(bytes);
        this.footer = isStream ? new IpcStream(bytes, fault).index(reader) : footer(reader);
        this.schema = distinctNames(footer.fields());
        this.batches = new BatchLayout[footer.batches().size()];
        long rows = 0;
        for (int index = 0; index < batches.length; index++) {
            Footer.Block block = footer.batches().get(index);
            batches[index] = reader.batch(message(block), block, footer.fields(), index);
            rows += batches[index].rowCount();
        }
        this.rowCount = rows;
        List<Integer> roots = new ArrayList<>();
        this.parts = parts(roots);
        this.partRoots = roots.stream().mapToInt(Integer::intValue).toArray();
        List<Field> all = new ArrayList<>(schema.fields());
        parts.forEach(part -> all.add(part.field()));
        this.wholeSchema = new Schema(all);
        this.dictionaryLayouts = new ArrayList<>();
        for (int index = 0; index < footer.dictionaries().size(); index++) {
            Footer.Block block = footer.dictionaries().get(index);
            dictionaryLayouts.add(reader.dictionary(message(block), block, index));
        }
        this.pieces = cut();
        if ((long) pieces.size() * (schema.size() + parts.size()) > Integer.MAX_VALUE - 8) {
            throw fault.unsupported("it has " + batches.length + " batches of " + schema.size() + " columns");
        }
        this.firstPieces = pieces.stream()
                .filter(piece -> piece.firstRow() == 0)
                .mapToInt(BatchPiece::index)
                .toArray();
        this.checked = new byte[pieces.size() * (schema.size() + parts.size())];
    }

    /// Cuts large batches into pieces, if columns of them are copied when they are read, and can be read from any row
    /// on. Those that are compressed, or have other bytes first, would have to be decoded for each piece.
    private List<BatchPiece> cut() {
        List<BatchPiece> all = new ArrayList<>();
        boolean isCopied = footer.fields().stream().map(FileField::storage).anyMatch(ArrowFile::isCopied);
        boolean isDivisible =
                isCopied && footer.fields().stream().map(FileField::storage).allMatch(RowSkip::isPossible);
        for (int batch = 0; batch < batches.length; batch++) {
            BatchLayout layout = batches[batch];
            int rows = layout.rowCount();
            long bytes = batchBytes(batch);
            int most = pieceRows(rows, bytes);
            boolean isOfBytes = bytes >= rows; // any number of rows may have none
            if (!isDivisible
                    || !isOfBytes
                    || layout.codec() != Codec.PLAIN
                    || layout.widths() != null
                    || rows <= 2L * most) {
                all.add(new BatchPiece(all.size(), batch, 0, rows, true));
                continue;
            }
            for (long first = 0; first < rows; first += most) {
                all.add(new BatchPiece(all.size(), batch, (int) first, (int) Math.min(most, rows - first), false));
            }
        }
        return List.copyOf(all);
    }

    private static int pieceRows(int rows, long bytes) {
        long ofBytes = bytes <= PIECE_BYTES ? rows : (long) ((double) PIECE_BYTES / bytes * rows);
        return (int) Math.max(RowSkip.UNIT, Math.min(PIECE_ROWS, ofBytes) / RowSkip.UNIT * RowSkip.UNIT);
    }

    private static boolean isCopied(Storage storage) {
        return switch (storage) {
            case Storage.Fixed _, Storage.Bits _, Storage.Text _, Storage.AllNull _, Storage.Unreadable _ -> false;
            case Storage.Coded coded -> coded.codeBytes() == 8;
            case Storage.Widened _,
                    Storage.TextViews _,
                    Storage.FixedBytes _,
                    Storage.Gathered _,
                    Storage.Runs _,
                    Storage.OneOf _,
                    Storage.Spread _,
                    Storage.Json _,
                    Storage.ListedViews _,
                    Storage.HexBytes _,
                    Storage.Listed _,
                    Storage.Structured _,
                    Storage.UnscaledAndScale _ -> true;
        };
    }

    /// Opens a file that others may change.
    ///
    /// - Memory: the caller closes it.
    public static ArrowFile open(Path path) {
        return open(path, FileStamp.of(path), SpillFolder.defaultParent());
    }

    /// The same for a file that was looked at before.
    ///
    /// - Errors: also 58030 when it is not that file any more.
    ///
    /// @param copies the folder where what is read of it is copied to
    public static ArrowFile open(Path path, FileStamp stamp, Path copies) {
        FileFault fault = new FileFault(path);
        RandomAccessFile handle = handle(path, fault);
        OpenStamp open = new OpenStamp(path, stamp);
        FileBytes bytes = null;
        try {
            // The name leads to what is open if it did so before and does so now.
            if (!FileStamp.of(path).equals(stamp)) {
                throw fault.unreadable("it was changed while it was opened", null);
            }
            checkSize(handle.length(), fault);
            bytes = new CopiedBytes(fault, handle, open, copies);
            handle = null;
            ArrowFile file = new ArrowFile(path, fault, bytes);
            bytes.checkUnchanged();
            bytes = null;
            return file;
        } catch (IOException e) {
            throw fault.unreadable(reason(path, e), e);
        } catch (QueryException e) {
            if (e.state() != SqlState.IO_ERROR && e.state() != SqlState.DISK_FULL && !open.isCurrent()) {
                throw fault.unreadable("it was changed while it was opened", e);
            }
            throw e;
        } finally {
            closeQuietly(bytes);
            closeQuietly(handle);
        }
    }

    /// Maps a file of our own runs, which nobody changes.
    ///
    /// - Memory: the caller closes it.
    /// - Errors: 58030 also when it has fewer bytes than were written.
    ///
    /// @param writtenBytes its size by the manifest
    public static ArrowFile openRun(Path path, long writtenBytes) {
        FileFault fault = new FileFault(path);
        RandomAccessFile handle = handle(path, fault);
        FileBytes bytes = null;
        try {
            if (handle.length() < writtenBytes) {
                throw fault.unreadable(
                        "it was cut short: it has " + handle.length() + " bytes, the manifest says " + writtenBytes,
                        null);
            }
            checkSize(handle.length(), fault);
            bytes = new MappedBytes(fault, handle);
            handle = null;
            ArrowFile file = new ArrowFile(path, fault, bytes);
            bytes = null;
            return file;
        } catch (IOException e) {
            throw fault.unreadable(reason(path, e), e);
        } catch (InternalError e) {
            throw fault.unreadable("it was cut short while it was opened", e);
        } finally {
            closeQuietly(bytes);
            closeQuietly(handle);
        }
    }

    private static RandomAccessFile handle(Path path, FileFault fault) {
        try {
            if (Files.exists(path) && !Files.isRegularFile(path)) {
                throw fault.unreadable("it is no regular file", null);
            }
            return new RandomAccessFile(path.toFile(), "r");
        } catch (IOException e) {
            throw fault.unreadable(reason(path, e), e);
        }
    }

    private static void checkSize(long size, FileFault fault) {
        if (size < 2L * MAGIC.length + TRAILER_BYTES) {
            throw fault.unreadable("it has " + size + " bytes, too few for an Arrow file", null);
        }
    }

    private static void closeQuietly(AutoCloseable open) {
        if (open != null) {
            try {
                open.close();
            } catch (Exception e) {
                // It was only read from, and what matters is being thrown already.
            }
        }
    }

    private static String reason(Path path, IOException e) {
        return Files.notExists(path) ? "there is no such file" : String.valueOf(e.getMessage());
    }

    private Footer footer(MetadataReader reader) {
        long offset = footerOffset();
        return reader.footer(bytes.bytes(offset, (int) (bytes.byteSize() - TRAILER_BYTES - offset)), offset);
    }

    private long footerOffset() {
        long size = bytes.byteSize();
        if (!hasMagic(bytes.bytes(0, MAGIC.length), 0)) {
            throw fault.corrupt("it does not start with ARROW1: no Arrow IPC file");
        }
        byte[] trailer = bytes.bytes(size - TRAILER_BYTES, TRAILER_BYTES);
        if (!hasMagic(trailer, TRAILER_BYTES - MAGIC.length)) {
            throw fault.unreadable(
                    "it does not end with ARROW1: cut short, still being written, or an Arrow stream instead of a file",
                    null);
        }
        int footerBytes = MemorySegment.ofArray(trailer).get(INT32, 0);
        long offset = size - TRAILER_BYTES - footerBytes;
        if (footerBytes <= 0 || offset < MAGIC.length + 2 || footerBytes > MAX_METADATA_BYTES) {
            throw fault.corrupt("its footer says to have " + footerBytes + " bytes, the file has " + size);
        }
        return offset;
    }

    private static boolean hasMagic(byte[] bytes, int offset) {
        return Arrays.equals(bytes, offset, offset + MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    private byte[] message(Footer.Block block) {
        MemorySegment prefix = MemorySegment.ofArray(bytes.bytes(block.offset(), 8));
        int first = prefix.get(INT32, 0);
        // Files older than Arrow 0.15 have no continuation marker.
        int prefixBytes = first == CONTINUATION ? 8 : 4;
        int length = first == CONTINUATION ? prefix.get(INT32, 4) : first;
        if (length <= 0 || length > block.metadataBytes() - prefixBytes || length > MAX_METADATA_BYTES) {
            throw fault.corrupt("a message of " + length + " bytes at " + block.offset() + " where its footer says "
                    + block.metadataBytes());
        }
        return bytes.bytes(block.offset() + prefixBytes, length);
    }

    private Schema distinctNames(List<FileField> fields) {
        for (int column = 0; column < fields.size(); column++) {
            if (columnIndexes.put(fields.get(column).field().name(), column) != null) {
                throw fault.unsupported("it has two columns named \""
                        + fields.get(column).field().name() + "\"");
            }
        }
        return new Schema(fields.stream().map(FileField::field).toList());
    }

    /// @param roots is given the column of each
    private List<FilePart> parts(List<Integer> roots) {
        List<FilePart> all = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            int root = column;
            boolean hasNulls = Arrays.stream(batches).anyMatch(batch -> batch.elementNulls()[root] != 0);
            for (FilePart part : footer.fields().get(column).parts()) {
                boolean isOfColumn = part.kind() == FilePart.Kind.PRESENCE
                        && !part.isOfMembers()
                        && part.lists().places().isEmpty();
                if (!isOfColumn || hasNulls) {
                    columnIndexes.putIfAbsent(part.field().name(), schema.size() + all.size());
                    all.add(part);
                    roots.add(column);
                }
            }
        }
        return List.copyOf(all);
    }

    /// Whether a column's values are worth statistics: what is of lists is not.
    public boolean isSummarized(int column) {
        return column < schema.size() || parts.get(column - schema.size()).isMember();
    }

    /// Members of its struct columns, and what can be read of lists. They are columns behind those of the schema.
    public List<FilePart> parts() {
        return parts;
    }

    /// The columns of the schema, and the parts behind them.
    public Schema wholeSchema() {
        return wholeSchema;
    }

    /// The field of a column or part.
    public Field field(int column) {
        return column < schema.size()
                ? schema.field(column)
                : parts.get(column - schema.size()).field();
    }

    /// The index of the column or part of that name, or -1.
    public int columnIndex(String name) {
        return columnIndexes.getOrDefault(name, -1);
    }

    public Path path() {
        return path;
    }

    /// Bytes of the file as it was opened.
    public long byteSize() {
        return bytes.byteSize();
    }

    public Schema schema() {
        return schema;
    }

    /// The schema's custom metadata.
    public Map<String, String> schemaMetadata() {
        return footer.schemaMetadata();
    }

    /// The custom metadata of a column, as they lie in the file.
    public Map<String, String> fieldMetadata(int column) {
        return footer.fields().get(column).metadata();
    }

    /// The footer's custom metadata: about this very file, never carried over from another.
    public Map<String, String> fileMetadata() {
        return footer.fileMetadata();
    }

    public long rowCount() {
        return rowCount;
    }

    public int batchCount() {
        return batches.length;
    }

    public int batchRows(int batch) {
        return batches[batch].rowCount();
    }

    /// Its batches as they are read: large ones in pieces.
    public List<BatchPiece> pieces() {
        return pieces;
    }

    /// Bytes of one record batch in the file.
    public long batchBytes(int batch) {
        return footer.batches().get(batch).bodyBytes();
    }

    /// How one record batch is compressed: `plain`, `lz4_frame` or `zstd`.
    public String batchCodec(int batch) {
        return batches[batch].codec().name().toLowerCase(java.util.Locale.ROOT);
    }

    public Storage storage(int column) {
        return column < schema.size()
                ? footer.fields().get(column).storage()
                : parts.get(column - schema.size()).storage();
    }

    public FileFault fault() {
        return fault;
    }

    /// Raises 58030 when the file has become shorter than its mapping. One system call, none where a copy is read.
    public void checkIntact() {
        bytes.checkIntact();
    }

    /// What an access fault in mapped memory means, or null if this file did not cause it.
    public QueryException faultOf(InternalError error) {
        return bytes.faultOf(error);
    }

    /// Bytes that `column` would allocate: for what is compressed or needs another form.
    public long decodedBytes(int batch, int column) {
        return decodedBytes(whole(batch), column);
    }

    /// The same of a piece; an estimate where it is not all of its batch.
    public long decodedBytes(BatchPiece piece, int column) {
        long rows = piece.rowCount();
        BufferReader buffers = buffers(piece, column, true, null);
        LongSupplier values = () -> share(piece, guarded(buffers::valueBytes));
        Storage storage = storage(column);
        long copied =
                switch (storage) {
                    case Storage.Widened widened -> rows * widened.widening().targetBytes();
                    case Storage.Listed _, Storage.Structured _, Storage.HexBytes _ ->
                        rows * 8 + textGrowth(storage) * values.getAsLong();
                    case Storage.ListedViews _, Storage.OneOf _, Storage.Spread _, Storage.Json _ ->
                        rows * 32 + 2 * textGrowth(storage) * values.getAsLong();
                    case Storage.Gathered gathered ->
                        rows * (5 + Math.max(0, gathered.type().byteWidth()));
                    case Storage.Runs runs ->
                        rows * (10 + Math.max(64, runs.type().byteWidth())) + TEXT_GROWTH * values.getAsLong();
                    case Storage.UnscaledAndScale _ -> rows * DataType.NUMERIC.byteWidth();
                    case Storage.FixedBytes _ -> (rows + 1) * 4;
                    case Storage.TextViews _ -> rows * 4 + values.getAsLong();
                    case Storage.Coded coded -> coded.codeBytes() == 8 ? rows * 4 : 0;
                    case Storage.AllNull _ -> rows * 5;
                    case Storage.Fixed _, Storage.Bits _, Storage.Text _, Storage.Unreadable _ -> 0;
                };
        long made = column < schema.size() ? 0 : rows / 8 * 2 + 2;
        if (column >= schema.size() && !parts.get(column - schema.size()).isMember()) {
            made += (rows + 1) * 12; // offsets, once as an array
            if (parts.get(column - schema.size()).kind() == FilePart.Kind.PRESENCE) {
                int root = partRoots[column - schema.size()];
                made += storage(root).elements() == null
                        ? 8 * values.getAsLong()
                        : share(piece, batches[piece.batch()].elementCounts()[root]);
            }
        }
        return copied + made + guarded(buffers::decodedBytes);
    }

    /// Whether `column` would copy values: what is compressed, in another order of bytes, or in another form.
    public boolean isCopied(BatchPiece piece, int column) {
        BatchLayout batch = batches[piece.batch()];
        return column >= schema.size()
                || batch.codec() != Codec.PLAIN
                || batch.widths() != null
                || isCopied(storage(column));
    }

    /// Bytes of text, and of what it is made of meanwhile, for each byte of values.
    private static int textGrowth(Storage storage) {
        return switch (storage) {
            case Storage.Bits _, Storage.Coded _, Storage.Gathered _, Storage.Runs _, Storage.AllNull _ ->
                NARROW_GROWTH;
            case Storage.Listed(Storage element, int offsetBytes, Storage.ListForm _) ->
                Math.max(offsetBytes > 0 ? TEXT_GROWTH : NARROW_GROWTH, textGrowth(element));
            case Storage.ListedViews(Storage element, int _) -> textGrowth(element);
            case Storage.Structured(List<String> _, List<Storage> members, boolean _) -> textGrowth(members);
            case Storage.OneOf(List<String> _, List<Storage> members, List<Integer> _, boolean _) ->
                textGrowth(members);
            case Storage.Spread(Storage values) -> textGrowth(values);
            case Storage.Json(Storage values, JsonShape _) -> 2 * textGrowth(values); // with names
            case Storage.Fixed _,
                    Storage.Widened _,
                    Storage.FixedBytes _,
                    Storage.Text _,
                    Storage.TextViews _,
                    Storage.HexBytes _,
                    Storage.UnscaledAndScale _,
                    Storage.Unreadable _ -> TEXT_GROWTH;
        };
    }

    private static int textGrowth(List<Storage> members) {
        return members.stream().mapToInt(ArrowFile::textGrowth).max().orElse(TEXT_GROWTH);
    }

    /// Bytes of the texts of one column of a piece, as they lie in the file, compressed or not; an estimate where it is
    /// not all of its batch.
    public long textBytes(BatchPiece piece, int column) {
        // Before the third buffer are validity, and offsets or views.
        return share(piece, buffers(piece, column, true, null).lengthsFrom(2));
    }

    /// What a piece has of a number for all of its batch, as an estimate.
    private long share(BatchPiece piece, long all) {
        return piece.isWhole() ? all : (long) Math.ceil((double) all * piece.rowCount() / batchRows(piece.batch()));
    }

    /// Enters a batch's pages into this process' tables, as far as the system has them in memory: the first scan of
    /// the rows would do that, a fault for every few of them.
    ///
    /// @return whether all of the batch is in memory
    public boolean preload(int batch, BooleanSupplier goesOn) {
        Footer.Block block = footer.batches().get(batch);
        return bytes.preload(block.offset(), block.bodyOffset() + block.bodyBytes(), goesOn);
    }

    /// What `read` gives, where an access fault in it becomes the error that names this file.
    private <T> T guarded(Supplier<T> read) {
        try {
            return read.get();
        } catch (InternalError e) {
            QueryException cutShort = faultOf(e);
            if (cutShort == null) {
                throw e;
            }
            throw cutShort;
        }
    }

    /// One column of one batch, with the file's own dictionary if it has one.
    ///
    /// - Memory: views of the mapping, or copies in `memory`.
    public Column column(int batch, int column, Allocator memory) {
        return column(whole(batch), column, null, memory, true);
    }

    /// The same of a piece, with the texts of structs in an order that need not be the file's.
    ///
    /// @param order null for the file's own
    public Column column(BatchPiece piece, int column, MemberOrder order, Allocator memory) {
        return column(piece, column, order, memory, true);
    }

    /// The same for whoever reads it once: what is copied of a file that others may change goes to `memory`, too.
    public Column columnOnce(int batch, int column, Allocator memory) {
        return column(whole(batch), column, null, memory, false);
    }

    /// A batch as one piece, which need not be among [#pieces].
    private BatchPiece whole(int batch) {
        BatchPiece first = pieces.get(firstPieces[batch]);
        return first.isWhole() ? first : new BatchPiece(-1, batch, 0, batchRows(batch), true);
    }

    /// Whether values of a piece have yet to be checked.
    ///
    /// @param kind a bit of `checked`
    private boolean mustCheck(BatchPiece piece, int column, int kind) {
        return piece.index() < 0 || (checked[piece.index() * wholeSchema.size() + column] & kind) == 0;
    }

    private void noteChecked(BatchPiece piece, int column, int kind) {
        if (piece.index() >= 0) {
            checked[piece.index() * wholeSchema.size() + column] |= (byte) kind;
        }
    }

    private Column column(BatchPiece piece, int column, MemberOrder order, Allocator memory, boolean isKept) {
        boolean check = mustCheck(piece, column, 1);
        Column read = guarded(() -> {
            if (column < schema.size()) {
                return reader(piece, schema.field(column).name(), column, memory, isKept)
                        .ordered(order)
                        .read(storage(column), lookup, check);
            }
            FilePart part = parts.get(column - schema.size());
            int root = partRoots[column - schema.size()];
            ColumnReader own = reader(piece, field(column).name(), root, memory, isKept);
            return switch (part.kind()) {
                case MEMBER -> own.ordered(order).readPart(storage(root), part.places(), lookup, check);
                case TAG ->
                    own.within(storage(root), part.places())
                            .tags((Storage.OneOf) ((Storage.Spread) part.storage()).values());
                case STRUCT -> own.within(storage(root), part.places()).structs();
                case JSON ->
                    own.within(storage(root), part.places()).ordered(order).read(part.storage(), lookup, check);
                case MEMBERS, CARDINALITY, ELEMENTS, ENDS, PRESENCE ->
                    own.within(storage(root), part.lists().places()).readOfLists(part, lookup, check);
            };
        });
        noteChecked(piece, column, 1);
        return read;
    }

    private ColumnReader reader(BatchPiece piece, String name, int column, Allocator memory, boolean isKept) {
        BufferReader buffers = buffers(piece, column, isKept, memory);
        long nulls = batches[piece.batch()].nullCounts()[column];
        return piece.isWhole() || nulls == 0
                ? new ColumnReader(fault, name, buffers, piece.rowCount(), nulls, memory)
                : ColumnReader.counted(fault, name, buffers, piece.rowCount(), memory);
    }

    private BufferReader buffers(BatchPiece piece, int column, boolean isKept, Allocator memory) {
        int root = column < schema.size() ? column : partRoots[column - schema.size()];
        Storage storage = storage(root);
        BufferReader buffers = new BufferReader(bytes, isKept, fault, batches[piece.batch()], root, memory)
                .from(storage, piece.firstRow());
        if (column < schema.size()) {
            return buffers;
        }
        FilePart part = parts.get(column - schema.size());
        for (int place : part.lists() == null ? part.places() : part.lists().places()) {
            List<Storage> members = storage.memberStorages();
            int own = storage instanceof Storage.OneOf union && union.isDense() ? 2 : 1;
            buffers = buffers.members(own, members).get(place);
            storage = members.get(place);
        }
        return buffers;
    }

    /// The members of the structs in a column's lists.
    public List<FilePart> elementParts(int column) {
        return column < schema.size()
                ? footer.fields().get(column).elementParts()
                : parts.get(column - schema.size()).elementParts();
    }

    /// Where lists are of a piece: those of a column, or of such a member of structs, whose storage has elements; or
    /// those that lie in their elements, a row for each.
    ///
    /// @param around members of the elements, each of those of the lists that the one before is, of which the
    /// last is what is asked for; none for the column itself
    public ListRows lists(BatchPiece piece, int column, List<FilePart> around, Allocator memory) {
        return guarded(
                () -> lists(piece, column, memory).listRows(storage(column), around, null, false, lookup, false));
    }

    /// The same with their elements.
    ///
    /// @param member what of the elements; null for these as a whole
    /// @param order of the texts of structs among the elements; null for the file's own
    public ListRows elements(
            BatchPiece piece, int column, List<FilePart> around, FilePart member, MemberOrder order, Allocator memory) {
        ListRows read = guarded(() -> lists(piece, column, memory)
                .ordered(order)
                .listRows(storage(column), around, member, true, lookup, mustCheck(piece, column, 2)));
        if (elementParts(column).isEmpty()) {
            noteChecked(piece, column, 2);
        }
        return read;
    }

    private ColumnReader lists(BatchPiece piece, int column, Allocator memory) {
        if (column < schema.size()) {
            return reader(piece, schema.field(column).name(), column, memory, true);
        }
        int root = partRoots[column - schema.size()];
        return reader(piece, field(column).name(), root, memory, true)
                .within(storage(root), parts.get(column - schema.size()).places());
    }

    /// The type of a column that can be had taken apart ([#nested]); null for one of plain values, and one that has
    /// texts alone.
    public NestedType nestedType(int column) {
        return NestedStorage.type(storage(column));
    }

    /// A column of lists, structs or maps of a piece, for who writes it into another file.
    ///
    /// - Memory: views of the mapping, or copies in `memory`.
    public NestedColumn nested(BatchPiece piece, int column, Allocator memory) {
        return guarded(() -> reader(piece, schema.field(column).name(), column, memory, false)
                .readNested(storage(column), nestedType(column), lookup, true));
    }

    /// The dictionary of an id, read at the first call. Its entries may be NULL or repeated: a file may do that.
    public Dictionary dictionary(long id) {
        return guarded(() -> readDictionary(id));
    }

    private Dictionary readDictionary(long id) {
        synchronized (dictionaries) {
            Dictionary known = dictionaries.get(id);
            if (known == null) {
                try {
                    List<Utf8Column> parts = dictionaryParts(id).stream()
                            .map(part -> part instanceof DictionaryColumn coded
                                    ? PlainText.of(coded, dictionaryMemory)
                                    : (Utf8Column) part)
                            .toList();
                    known = new Dictionary(new DictionaryEntries(id, parts, dictionaryMemory).join());
                } catch (ArithmeticException e) {
                    throw fault.unsupported("dictionary " + id + " has more than 2 GiB of text");
                }
                dictionaries.put(id, known);
            }
            return known;
        }
    }

    private Column entries(long id) {
        synchronized (dictionaries) {
            Column known = otherDictionaries.get(id);
            if (known == null) {
                known = Gather.joined(dictionaryParts(id), dictionaryMemory);
                otherDictionaries.put(id, known);
            }
            return known;
        }
    }

    private List<Column> dictionaryParts(long id) {
        List<Column> parts = new ArrayList<>();
        for (MetadataReader.DictionaryLayout dictionary : dictionaryLayouts) {
            if (dictionary.id() != id) {
                continue;
            }
            if (!parts.isEmpty() && !dictionary.isDelta()) {
                throw isStream
                        ? fault.unsupported("dictionary " + id + " is replaced in the stream, which is not supported")
                        : fault.corrupt("dictionary " + id + " is replaced, which a file may not do");
            }
            Storage values = footer.dictionaryValues().get(id);
            BatchLayout layout = dictionary.layout();
            BufferReader buffers = new BufferReader(bytes, true, fault, layout, 0, dictionaryMemory);
            String name = "dictionary " + id;
            parts.add(
                    new ColumnReader(fault, name, buffers, layout.rowCount(), layout.nullCounts()[0], dictionaryMemory)
                            .read(values, lookup, true));
        }
        if (parts.isEmpty() && rowCount == 0) {
            Storage values = footer.dictionaryValues().get(id);
            return List.of(NullColumn.of(values.type(), 0, dictionaryMemory)); // writers leave it out, too
        }
        if (parts.isEmpty()) {
            throw fault.corrupt("it lacks dictionary " + id);
        }
        return parts;
    }

    /// Lets go of the file. Columns read from it must be in no one's hands any more: they would raise
    /// [IllegalStateException].
    @Override
    public void close() {
        bytes.close();
        dictionaryMemory.close();
    }

    @Override
    public String toString() {
        return path + " " + schema;
    }
}
