package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Groups by one integer key that are done with for now: key and states column by column outside the heap, in runs of
/// ascending keys. Counts and sums of 64 bits lie there as results have them.
final class PackedGroups implements AutoCloseable {
    private static final int MIN_ROWS = 1 << 15;
    private static final int MAX_ROWS = 1 << 18;
    /// A chunk takes this part of the budget at most.
    private static final int SMALLEST_PART = 64;
    /// Groups handed to a sink at a time: so few that what they take there fits a small budget, too.
    private static final int MIN_FLUSHED = 256;
    private static final int MAX_FLUSHED = 1 << 14;
    private static final int SMALLEST_FLUSH = 1 << 12;

    private final FusedGroups groups;
    private final DataType type;
    private final MemoryBudget budget;
    private final List<Chunk> chunks = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();

    /// Some runs' memory.
    private static final class Chunk {
        final BudgetArena arena;
        final MemorySegment keys;
        final MemorySegment[] words;
        final int capacity;
        int count;

        Chunk(BudgetArena arena, int keyBytes, int wordCount, int capacity) {
            this.arena = arena;
            this.capacity = capacity;
            this.keys = arena.allocate((long) capacity * keyBytes);
            this.words = new MemorySegment[wordCount];
            for (int word = 0; word < wordCount; word++) {
                words[word] = arena.allocate(capacity * 8L);
            }
        }
    }

    /// Groups whose keys ascend, with no great gap.
    static final class Run {
        private final Chunk chunk;
        private final DataType type;
        private final int from;
        private int count;
        private final long first;
        private long last;

        private Run(Chunk chunk, DataType type, int from, long first) {
            this.chunk = chunk;
            this.type = type;
            this.from = from;
            this.first = first;
        }

        int count() {
            return count;
        }

        long first() {
            return first;
        }

        long last() {
            return last;
        }

        long key(int row) {
            return PackedGroups.key(chunk.keys, type.byteWidth(), from + row);
        }

        /// The first row whose key is no less than `key`, or `count()`.
        int rowOf(long key) {
            int low = 0;
            int high = count;
            while (low < high) {
                int middle = low + high >>> 1;
                if (key(middle) < key) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /// One word of a row's states.
        long word(int row, int word) {
            return chunk.words[word].get(LoopMath.INT64, (from + (long) row) * 8);
        }

        /// Copies rows' states, row by row.
        void copyStates(int row, int rows, long[] to) {
            int words = chunk.words.length;
            for (int word = 0; word < words; word++) {
                MemorySegment values = chunk.words[word];
                long start = (from + (long) row) * 8;
                for (int index = 0; index < rows; index++) {
                    to[index * words + word] = values.get(LoopMath.INT64, start + index * 8L);
                }
            }
        }

        /// Keys as a view.
        Column keys(int row, int rows) {
            long width = type.byteWidth();
            return new FixedColumn(
                    type, rows, chunk.keys.asSlice((from + row) * width, rows * width), Validity.allPresent());
        }

        /// A word of the states as a view of `as`, of 8 bytes.
        Column words(int word, int row, int rows, DataType as) {
            MemorySegment values = chunk.words[word].asSlice((from + (long) row) * 8, rows * 8L);
            return new FixedColumn(as, rows, values, Validity.allPresent());
        }
    }

    PackedGroups(FusedGroups groups, MemoryBudget budget) {
        this.groups = groups;
        this.type = groups.window().type();
        this.budget = budget;
    }

    static int rowBytes(FusedGroups groups) {
        return groups.window().type().byteWidth() + groups.words() * 8;
    }

    private static long key(MemorySegment keys, int width, int row) {
        return switch (width) {
            case 2 -> keys.get(LoopMath.INT16, row * 2L);
            case 4 -> keys.get(LoopMath.INT32, row * 4L);
            default -> keys.get(LoopMath.INT64, row * 8L);
        };
    }

    List<Run> runs() {
        return runs;
    }

    /// All groups as few runs, whose keys are in no order.
    List<Run> whole() {
        List<Run> all = new ArrayList<>();
        for (Chunk chunk : chunks) {
            Run run = new Run(chunk, type, 0, 0);
            run.count = chunk.count;
            all.add(run);
        }
        return all;
    }

    /// Makes room for groups; false where memory is short, so that others than these should take what comes.
    boolean ensure(int rows) {
        Chunk last = chunks.isEmpty() ? null : chunks.getLast();
        if (last != null && last.capacity - last.count >= rows) {
            return true;
        }
        int wanted = last == null ? MIN_ROWS : Math.min(MAX_ROWS, last.capacity * 2);
        long bound = budget.limitBytes() / SMALLEST_PART / rowBytes(groups);
        int capacity = (int) Math.max(rows, Math.min(wanted, bound));
        long bytes = (long) capacity * rowBytes(groups);
        if (budget.availableBytes() - 2 * bytes < budget.limitBytes() / 2) {
            return false;
        }
        try {
            addChunk(capacity);
            return true;
        } catch (QueryException problem) {
            if (problem.state() == SqlState.OUT_OF_MEMORY) {
                return false; // another worker was quicker
            }
            throw problem;
        }
    }

    /// Makes room for groups.
    ///
    /// @param rowsLeft no fewer, and no more than will come
    void addRoom(int rows, long rowsLeft) {
        if (chunks.isEmpty() || chunks.getLast().capacity - chunks.getLast().count < rows) {
            addChunk((int) Math.max(rows, Math.min(MAX_ROWS, rowsLeft)));
        }
    }

    private void addChunk(int capacity) {
        BudgetArena arena = new BudgetArena(budget);
        try {
            chunks.add(new Chunk(arena, type.byteWidth(), groups.words(), capacity));
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    /// Adds groups whose keys ascend; there is room.
    ///
    /// @param base the key of the group that starts at word 0 of the states
    /// @param at where the groups' states start
    void add(long base, long[] states, int[] at, int count) {
        if (count == 0) {
            return;
        }
        Chunk chunk = chunks.getLast();
        int from = chunk.count;
        int words = groups.words();
        switch (type.byteWidth()) {
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    chunk.keys.set(LoopMath.INT16, (from + index) * 2L, (short) (base + at[index] / words));
                }
            }
            case 4 -> {
                int first = (int) base;
                for (int index = 0; index < count; index++) {
                    chunk.keys.set(LoopMath.INT32, (from + index) * 4L, first + at[index] / words);
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    chunk.keys.set(LoopMath.INT64, (from + index) * 8L, base + at[index] / words);
                }
            }
        }
        for (int word = 0; word < words; word++) {
            MemorySegment values = chunk.words[word];
            long start = from * 8L;
            for (int index = 0; index < count; index++) {
                values.set(LoopMath.INT64, start + index * 8L, states[at[index] + word]);
            }
        }
        chunk.count += count;
        extend(chunk, from, count, base + at[0] / words, base + at[count - 1] / words);
    }

    private void extend(Chunk chunk, int from, int count, long first, long last) {
        Run run = runs.isEmpty() ? null : runs.getLast();
        // A wide gap may be filled by another worker: then each run is by itself.
        if (run == null || run.chunk != chunk || first <= run.last || isFar(run.last, first)) {
            run = new Run(chunk, type, from, first);
            runs.add(run);
        }
        run.count += count;
        run.last = last;
    }

    private boolean isFar(long last, long first) {
        return Long.compareUnsigned(first - last, groups.places()) > 0;
    }

    /// Hands the groups over to a sink; none are left.
    void flushTo(TileSink sink) {
        int rows = (int) Math.clamp(budget.limitBytes() / SMALLEST_FLUSH, MIN_FLUSHED, MAX_FLUSHED);
        int words = groups.words();
        int[] at = new int[rows];
        Arrays.setAll(at, index -> index * words);
        GroupColumns states = new GroupColumns(groups, new long[rows * words]);
        for (int next = 0; next < runs.size(); next++) {
            Run run = runs.get(next);
            for (int from = 0; from < run.count; from += rows) {
                int count = Math.min(rows, run.count - from);
                budget.checkStop();
                run.copyStates(from, count, states.states());
                flush(run, from, states, at, count, sink);
            }
            if (next + 1 == runs.size() || runs.get(next + 1).chunk != run.chunk) {
                run.chunk.arena.close();
            }
        }
        close();
    }

    private void flush(Run run, int from, GroupColumns states, int[] at, int count, TileSink sink) {
        BudgetArena arena = new BudgetArena(budget);
        Batch batch;
        try {
            List<Column> columns = new ArrayList<>();
            columns.add(run.keys(from, count));
            states.addPartials(at, count, arena, columns);
            batch = Batch.owning(sink.layout(), columns, count, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
        sink.transferIn(batch);
    }

    /// Hands the memory over, to be closed by the caller.
    List<BudgetArena> takeArenas() {
        List<BudgetArena> arenas = chunks.stream().map(chunk -> chunk.arena).toList();
        chunks.clear();
        runs.clear();
        return arenas;
    }

    @Override
    public void close() {
        takeArenas().forEach(BudgetArena::close);
    }
}
