package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.stats.TextHash;
import dev.quarrel.core.budget.Awaited;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Writes batches of unknown origin as one table's rows: texts of few values as dictionaries, as far as the
/// first batch tells. Where a later one has too many, the next file has them plain.
///
/// - Threads: one, which may leave the work on batches to others.
public final class TableLoad implements AutoCloseable {
    /// So many times a value of a dictionary stands in the first batch, on average.
    public static final int MIN_REPEATS = 20;

    private static final int FEW_CODES = 100; // of one byte, which has room for 127
    private static final int MANY_CODES = 30_000; // of two

    /// Heap of one that is read, written, or waits, with what it is read from.
    private static final long BATCH_BYTES = 256L << 20;

    /// Where the files go.
    interface Target {
        ArrowFileWriter create(Schema schema, WriteOptions options);

        void add(WrittenFile file);

        /// All files were added.
        void finish();
    }

    private final Target target;
    private final Schema schema;
    private final WriteOptions options;
    private final Map<Texts, Values> coded = new HashMap<>();
    private final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
    private ArrowFileWriter file;
    private long rowCount;
    private long batchCount;
    private int fileCount;

    /// @param options without dictionaries
    public TableLoad(DatasetWriter run, String schemaName, String name, Schema schema, WriteOptions options) {
        this(new OfRun(run, schemaName, name), schema, options);
    }

    TableLoad(Target target, Schema schema, WriteOptions options) {
        this.target = target;
        this.schema = schema;
        this.options = options;
    }

    private record OfRun(DatasetWriter run, String schemaName, String name) implements Target {
        @Override
        public ArrowFileWriter create(Schema schema, WriteOptions options) {
            return run.create(schemaName, name, schema, options);
        }

        @Override
        public void add(WrittenFile file) {
            run.add(schemaName, name, file);
        }

        @Override
        public void finish() {
            run.finish(schemaName, name);
        }
    }

    /// How many threads may read and write batches at a time, for which the heap has room.
    ///
    /// @param wanted at least 1
    public static int threads(int wanted) {
        return Math.clamp(Runtime.getRuntime().maxMemory() / BATCH_BYTES, 1, wanted);
    }

    /// Adds rows, which stay the caller's.
    public void append(Batch batch) {
        openFor(batch);
        file.append(batchCount++, batch);
        rowCount += batch.rowCount();
    }

    /// Adds rows by other threads, so many batches at a time; waits while these are too many.
    ///
    /// - Errors: those of batches before, too.
    ///
    /// @param batch this one's from here on, also when it fails
    public void append(Batch batch, Executor threads, int most) {
        boolean isGiven = false;
        try {
            while (underWay.size() >= most) {
                Awaited.of(underWay.removeFirst());
            }
            openFor(batch);
            ArrowFileWriter to = file;
            long number = batchCount++;
            rowCount += batch.rowCount();
            underWay.add(CompletableFuture.runAsync(
                    () -> {
                        try (Batch owned = batch) {
                            to.append(number, owned);
                        }
                    },
                    threads));
            isGiven = true;
        } finally {
            if (!isGiven) {
                batch.close();
            }
        }
    }

    private void openFor(Batch batch) {
        if (file == null && fileCount == 0) {
            choose(batch);
            open();
        } else if (coded.entrySet()
                .removeIf(entry -> !entry.getValue().takes(entry.getKey().of(batch)))) {
            finishFile();
            open();
        }
    }

    private void choose(Batch batch) {
        for (int column = 0; column < schema.size(); column++) {
            Field field = schema.field(column);
            if (!(field.type() instanceof DataType.Utf8)) {
                continue;
            }
            Texts texts = new Texts(new FieldPath(field.name()), column, List.of());
            NestedType nested = options.nested().get(field.name());
            if (nested == null) {
                choose(texts, batch);
            } else if (batch.nested(column) != null) {
                chooseMembers(texts, nested, batch);
            }
        }
    }

    /// Of structs that are in no lists.
    private void chooseMembers(Texts around, NestedType type, Batch batch) {
        if (!(type instanceof NestedType.Composite composite)) {
            return;
        }
        for (int index = 0; index < composite.members().size(); index++) {
            String name = composite.members().get(index).name();
            NestedType member = composite.member(name);
            Texts texts = around.member(index, name);
            if (member instanceof NestedType.Composite) {
                chooseMembers(texts, member, batch);
            } else if (NestedType.TEXT.equals(member)) {
                choose(texts, batch);
            }
        }
    }

    private void choose(Texts texts, Batch batch) {
        Values seen = new Values();
        boolean isFew = seen.takes(texts.of(batch)) && seen.size <= batch.rowCount() / MIN_REPEATS;
        if (isFew) {
            seen.limit = seen.size <= FEW_CODES / 3 ? FEW_CODES : MANY_CODES;
            coded.put(texts, seen);
        }
    }

    /// A column, or a member of its structs.
    ///
    /// @param members its place in each of the structs around it
    private record Texts(FieldPath path, int column, List<Integer> members) {
        Texts member(int index, String name) {
            List<Integer> longer = new ArrayList<>(members);
            longer.add(index);
            return new Texts(path.child(name), column, List.copyOf(longer));
        }

        Column of(Batch batch) {
            if (members.isEmpty()) {
                return batch.column(column);
            }
            NestedColumn values = batch.nested(column);
            for (int member : members) {
                values = ((NestedColumn.Structs) values).members().get(member);
            }
            return ((NestedColumn.Values) values).column();
        }
    }

    private void open() {
        WriteOptions all = options;
        for (Map.Entry<Texts, Values> texts : coded.entrySet()) {
            all = all.withDictionary(texts.getKey().path(), texts.getValue().limit == FEW_CODES ? 1 : 2);
        }
        file = target.create(schema, all);
        fileCount++;
    }

    private void finishFile() {
        while (!underWay.isEmpty()) {
            Awaited.of(underWay.removeFirst());
        }
        target.add(file.finish());
        file.close();
        file = null;
    }

    /// Ends the last file; a table without rows has one, too.
    ///
    /// @return the rows that were added
    public long finish() {
        if (file == null) {
            open();
        }
        finishFile();
        target.finish();
        return rowCount;
    }

    @Override
    public void close() {
        underWay.forEach(work -> work.handle((_, _) -> null).join());
        underWay.clear();
        if (file != null) {
            file.close();
        }
    }

    /// The hashes of a column's distinct values.
    private static final class Values {
        private long[] slots = new long[1 << 10]; // 0 for none
        private int size;
        private int limit = MANY_CODES;

        /// Whether there is room for all of them.
        boolean takes(Column column) {
            return switch (column) {
                case Utf8Column text -> takes(text, text.rowCount());
                case DictionaryColumn codes ->
                    takes(codes.dictionary().values(), codes.dictionary().size());
                default -> false;
            };
        }

        private boolean takes(Utf8Column text, int count) {
            for (int row = 0; row < count; row++) {
                if (text.validity().isPresent(row)) {
                    long start = text.offset(row);
                    long end = text.offset(row + 1);
                    long first = TextHash.word(text.data(), start, end);
                    add(TextHash.of(text.data(), start, end, first) | 1);
                    if (size > limit) {
                        return false;
                    }
                }
            }
            return true;
        }

        private void add(long hash) {
            int mask = slots.length - 1;
            int slot = (int) (hash >>> 20) & mask;
            while (slots[slot] != 0 && slots[slot] != hash) {
                slot = (slot + 1) & mask;
            }
            if (slots[slot] == 0) {
                slots[slot] = hash;
                size++;
                if (size * 2 > slots.length) {
                    grow();
                }
            }
        }

        private void grow() {
            long[] old = slots;
            slots = new long[old.length * 2];
            size = 0;
            for (long hash : old) {
                if (hash != 0) {
                    add(hash);
                }
            }
        }
    }
}
