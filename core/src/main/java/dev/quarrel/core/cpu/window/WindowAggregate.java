package dev.quarrel.core.cpu.window;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.group.Accumulator;
import dev.quarrel.core.cpu.group.ArrayWriter;
import dev.quarrel.core.cpu.group.FixedPoint;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.NumericMath;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.rows.BoolStore;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.FloatStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One aggregate over the frames of a [WindowPart].
///
/// Frames that are partitions are groups. Counts, exact sums and averages come from prefix sums, extremes from a queue
/// of those that may still become one; floats are summed in fixed point where 127 bits hold them exactly. Everything
/// else is merged from a tree of partial aggregates, so that each row costs the logarithm of its frame.
final class WindowAggregate {
    private static final int TILE_ROWS = 1024;
    private static final int LEAF_BITS = 4;
    private static final int FANOUT_BITS = 2;
    private static final int SHORT_FRAME = 32;
    private static final MemorySegment COMMA = MemorySegment.ofArray(new byte[] {','});
    /// Sums of 2^31 values of so many digits fit 127 bits.
    private static final int PREFIX_PRECISION = 28;

    private final WindowPart part;
    private final AggregateCall call;
    private final DataType argumentType;
    private final ValueStore argument; // null for COUNT_STAR
    private final ValueStore[] further; // arguments after the first
    private final WindowFrames frames;
    private final ValueStore result;
    private final Carry carry; // null where the part begins with a partition
    private final int rowCount;
    private final int[] before; // rows that count, in front of each row
    private final int[] runs = new int[6];

    /// What rows in front of the part come to that belong to its first partition: frames there begin with them.
    static final class Carry implements AutoCloseable {
        private final AggregateCall call;
        private final DataType argumentType;
        private final Reservation memory;
        private Accumulator states; // one group; null where the sums below say it
        private long count; // rows that count
        private long high; // their exact sum
        private long low;

        /// @param argumentType null for COUNT_STAR
        Carry(AggregateCall call, DataType argumentType, MemoryBudget budget) {
            this.call = call;
            this.argumentType = argumentType;
            this.memory = new Reservation(budget);
        }

        /// Forgets the rows, unless the next part goes on with their partition.
        Carry from(boolean goesOn) {
            if (!goesOn) {
                clear();
            }
            return this;
        }

        private void clear() {
            count = 0;
            high = 0;
            low = 0;
            states = null;
            memory.close();
        }

        private Accumulator states() {
            if (states == null) {
                states = Accumulator.of(call, argumentType, memory);
                states.ensure(1);
            }
            return states;
        }

        @Override
        public void close() {
            clear();
        }
    }

    /// @param argumentType null for COUNT_STAR
    /// @param carry or null; has the rows of the part's last partition afterwards
    WindowAggregate(
            WindowPart part,
            AggregateCall call,
            DataType argumentType,
            WindowFrames frames,
            ValueStore result,
            Carry carry) {
        this.part = part;
        this.carry = carry;
        this.call = call;
        this.argumentType = argumentType;
        this.argument = argumentType == null ? null : part.argument(call.argument());
        this.further = call.arguments().stream().skip(1).map(part::argument).toArray(ValueStore[]::new);
        this.frames = frames;
        this.result = result;
        this.rowCount = part.rowCount();
        part.scratch().grow((rowCount + 1L) * 4);
        this.before = new int[rowCount + 1];
        BoolStore filter = call.filter() < 0 ? null : (BoolStore) part.argument(call.filter());
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            boolean counts = (filter == null || filter.isPresent(row) && filter.get(row))
                    && (argument == null || call.keepsNulls() || argument.isPresent(row))
                    && (call.kind() == AggregateKind.STRING_AGG || call.keepsNulls() || isPresent(further, row));
            before[row + 1] = before[row] + (counts ? 1 : 0);
        }
    }

    private static boolean isPresent(ValueStore[] values, int row) {
        for (ValueStore each : values) {
            if (!each.isPresent(row)) {
                return false;
            }
        }
        return true;
    }

    void compute() {
        boolean isPrefixable = argument instanceof IntStore
                || argument instanceof LongStore
                || argumentType instanceof DataType.Decimal(int precision, int _) && precision <= PREFIX_PRECISION;
        boolean isSum = call.kind() == AggregateKind.SUM || call.kind() == AggregateKind.AVG;
        boolean isExtreme = call.kind() == AggregateKind.MIN || call.kind() == AggregateKind.MAX;
        boolean isWord = argument instanceof IntStore
                || argument instanceof LongStore
                || argument instanceof FloatStore
                || argument instanceof DoubleStore;
        if (call.kind() == AggregateKind.COUNT || call.kind() == AggregateKind.COUNT_STAR) {
            counts();
        } else if (isSum && isPrefixable) {
            exactSums();
        } else if (call.kind() == AggregateKind.STRING_AGG) {
            new WindowTexts((TextStore) argument, (TextStore) further[0], before, part.scratch(), false)
                    .join(frames, rowCount, (TextStore) result);
        } else if (call.kind() == AggregateKind.ARRAY_AGG) {
            arrays();
        } else if (call.kind() == AggregateKind.ANY_VALUE) {
            firsts();
        } else if (call.kind() == AggregateKind.LOCAL) {
            new WindowLocals(call.local(), before, part).compute(frames, argument, further, result);
        } else if (isExtreme && isWord && !frames.hasExclusion() && carry == null) {
            extremes();
        } else if (frames.isPartition()) {
            partitions();
            carryStates();
        } else if (carry == null
                && isSum
                && (argument instanceof DoubleStore || argument instanceof FloatStore)
                && floatSums(FixedPoint.of(argument, before))) {
            return;
        } else {
            merged();
            carryStates();
        }
    }

    /// Where the rows start that the next part's first partition may go on from: those of the last partition here.
    private int carriedFrom() {
        if (part.partitionCount() > 1) {
            carry.clear();
        }
        return rowCount == 0 ? 0 : part.partitionStart(rowCount - 1);
    }

    private void carryStates() {
        if (carry != null) {
            Adder adder = new Adder(carry.states());
            for (int row = carriedFrom(); row < rowCount; row++) {
                if (counts(row)) {
                    adder.add(row, 0);
                    carry.count++;
                }
            }
            adder.flush();
        }
    }

    private boolean isCarried(int row) {
        return carry != null && carry.count > 0 && part.partition(row) == 0;
    }

    /// Elements are written once, as texts that frames join.
    private void arrays() {
        try (Reservation memory = new Reservation(part.scratch().budget())) {
            ArrayWriter element = new ArrayWriter(argumentType, memory);
            TextStore elements = new TextStore(DataType.UTF8, memory);
            TextStore commas = new TextStore(DataType.UTF8, memory);
            for (int row = 0; row < rowCount; row++) {
                part.check(row);
                if (counts(row)) {
                    element.clear();
                    element.add(argument, row);
                    elements.appendValue(element.segment(), 0, element.length());
                    commas.appendValue(COMMA, 0, 1);
                } else {
                    elements.appendNull();
                    commas.appendNull();
                }
            }
            new WindowTexts(elements, commas, before, part.scratch(), true).join(frames, rowCount, (TextStore) result);
        }
    }

    /// The first row of each frame that counts.
    private void firsts() {
        try (Reservation memory = new Reservation(part.scratch().budget())) {
            memory.grow((2L * rowCount + 1) * 4);
            int[] next = new int[rowCount + 1];
            next[rowCount] = rowCount;
            for (int row = rowCount - 1; row >= 0; row--) {
                next[row] = counts(row) ? row : next[row + 1];
            }
            int[] chosen = new int[rowCount];
            for (int row = 0; row < rowCount; row++) {
                part.check(row);
                chosen[row] = -1;
                int runCount = frames.runs(row, runs);
                for (int run = 0; run < runCount && chosen[row] < 0; run++) {
                    int first = next[runs[2 * run]];
                    chosen[row] = first < runs[2 * run + 1] ? first : -1;
                }
            }
            result.appendGathered(argument, chosen, 0, rowCount, new ValueStore.GatherTile(result.type()));
        }
    }

    private boolean counts(int row) {
        return before[row + 1] > before[row];
    }

    private void counts() {
        result.grow(rowCount);
        long[] to = ((LongStore) result).values();
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            to[row] = frames.hasExclusion() ? countInRuns(row) : before[frames.high(row)] - before[frames.low(row)];
        }
        if (carry != null) {
            for (int row = 0; row < rowCount && isCarried(row); row++) {
                to[row] += carry.count;
            }
            int from = carriedFrom();
            carry.count += before[rowCount] - before[from];
        }
    }

    private int countInRuns(int row) {
        int runCount = frames.runs(row, runs);
        int count = 0;
        for (int run = 0; run < runCount; run++) {
            count += before[runs[2 * run + 1]] - before[runs[2 * run]];
        }
        return count;
    }

    private void exactSums() {
        part.scratch().grow((rowCount + 1L) * 16);
        long[] high = new long[rowCount + 1];
        long[] low = new long[rowCount + 1];
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            long valueLow = 0;
            long valueHigh = 0;
            if (counts(row)) {
                switch (argument) {
                    case IntStore ints -> valueLow = ints.values()[row];
                    case LongStore longs -> valueLow = longs.values()[row];
                    case DecimalStore decimals -> valueLow = decimals.low()[row];
                    case BoolStore _, FloatStore _, DoubleStore _, TextStore _ ->
                        throw new IllegalStateException("no exact sum of " + argumentType);
                }
                valueHigh = argument instanceof DecimalStore decimals ? decimals.high()[row] : valueLow >> 63;
            }
            low[row + 1] = low[row] + valueLow;
            high[row + 1] = high[row] + valueHigh + (Long.compareUnsigned(low[row + 1], valueLow) < 0 ? 1 : 0);
        }
        int scale = argumentType instanceof DataType.Decimal(int _, int digits) ? digits : 0;
        WideNumber number = new WideNumber();
        result.grow(rowCount);
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            int runCount = frames.runs(row, runs);
            boolean isCarried = isCarried(row);
            long sumLow = isCarried ? carry.low : 0;
            long sumHigh = isCarried ? carry.high : 0;
            long count = isCarried ? carry.count : 0;
            for (int run = 0; run < runCount; run++) {
                int from = runs[2 * run];
                int to = runs[2 * run + 1];
                long runLow = low[to] - low[from];
                long runHigh = high[to] - high[from] - (Long.compareUnsigned(low[to], low[from]) < 0 ? 1 : 0);
                sumLow += runLow;
                sumHigh += runHigh + (Long.compareUnsigned(sumLow, runLow) < 0 ? 1 : 0);
                count += before[to] - before[from];
            }
            if (count == 0) {
                result.setNull(row);
            } else {
                putSum(row, sumHigh, sumLow, scale, count, number);
            }
        }
        if (carry != null) {
            int from = carriedFrom();
            carry.count += before[rowCount] - before[from];
            long addedLow = low[rowCount] - low[from];
            carry.high += high[rowCount] - high[from] - (Long.compareUnsigned(low[rowCount], low[from]) < 0 ? 1 : 0);
            carry.low += addedLow;
            carry.high += Long.compareUnsigned(carry.low, addedLow) < 0 ? 1 : 0;
        }
        part.scratch().shrink((rowCount + 1L) * 16);
    }

    private void putSum(int row, long high, long low, int scale, long count, WideNumber number) {
        if (result instanceof LongStore longs) {
            longs.values()[row] = low; // 2^32 values of 32 bits
            return;
        }
        DecimalStore to = (DecimalStore) result;
        if (call.kind() == AggregateKind.SUM) {
            if (!Int128.fits(high, low)) {
                throw RowErrors.beyondPrecision();
            }
            to.high()[row] = high;
            to.low()[row] = low;
            if (to.scale() != null) {
                to.scale()[row] = scale;
            }
            return;
        }
        int digits = NumericMath.divide(high, low, scale, 0, count, 0, number);
        to.high()[row] = number.high();
        to.low()[row] = number.low();
        to.scale()[row] = digits;
    }

    /// The frame's edges never move back within a partition: a row that a later, better one follows is out for good.
    private void extremes() {
        boolean isMax = call.kind() == AggregateKind.MAX;
        part.scratch().grow(rowCount * 4L);
        int[] queue = new int[rowCount];
        int head = 0;
        int tail = 0;
        int next = 0;
        int partition = -1;
        result.grow(rowCount);
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            if (part.partition(row) != partition) {
                partition = part.partition(row);
                head = 0;
                tail = 0;
                next = row;
            }
            int low = frames.low(row);
            int high = frames.high(row);
            next = Math.max(next, low);
            for (; next < high; next++) {
                if (counts(next)) {
                    long word = word(next);
                    while (tail > head && isReplaced(queue[tail - 1], word, isMax)) {
                        tail--;
                    }
                    queue[tail++] = next;
                }
            }
            while (head < tail && queue[head] < low) {
                head++;
            }
            if (head == tail || low >= high) {
                result.setNull(row);
            } else {
                copy(queue[head], row);
            }
        }
        part.scratch().shrink(rowCount * 4L);
    }

    private void copy(int from, int to) {
        switch (argument) {
            case IntStore ints -> ((IntStore) result).values()[to] = ints.values()[from];
            case LongStore longs -> ((LongStore) result).values()[to] = longs.values()[from];
            case FloatStore floats -> ((FloatStore) result).values()[to] = floats.values()[from];
            case DoubleStore doubles -> ((DoubleStore) result).values()[to] = doubles.values()[from];
            case BoolStore _, DecimalStore _, TextStore _ ->
                throw new IllegalStateException("no word of " + argumentType);
        }
    }

    /// A word that orders as the value does; of equal zeros -0 is the lesser, as in `LongExtreme`.
    private long word(int row) {
        double value;
        switch (argument) {
            case FloatStore floats -> value = floats.values()[row];
            case DoubleStore doubles -> value = doubles.values()[row];
            default -> {
                return KeyForm.WordForm.word(argument, row);
            }
        }
        long bits = Double.doubleToLongBits(value);
        return bits ^ bits >> 63 & Long.MAX_VALUE;
    }

    private boolean isReplaced(int row, long word, boolean isMax) {
        long old = word(row);
        return isMax ? old <= word : old >= word;
    }

    /// Sums from prefix sums in fixed point.
    ///
    /// @param sums null where they do not hold the values exactly
    private boolean floatSums(FixedPoint sums) {
        if (sums == null) {
            return false;
        }
        part.scratch().grow((rowCount + 1L) * 16);
        result.grow(rowCount);
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            int runCount = frames.runs(row, runs);
            sums.clear();
            int count = 0;
            for (int run = 0; run < runCount; run++) {
                sums.add(runs[2 * run], runs[2 * run + 1]);
                count += before[runs[2 * run + 1]] - before[runs[2 * run]];
            }
            if (count == 0) {
                result.setNull(row);
            } else if (result instanceof FloatStore floats) {
                floats.values()[row] = (float) sums.rounded(24);
            } else {
                double sum = sums.rounded(53);
                ((DoubleStore) result).values()[row] = call.kind() == AggregateKind.AVG ? sum / count : sum;
            }
        }
        part.scratch().shrink((rowCount + 1L) * 16);
        return true;
    }

    /// One group a partition.
    private void partitions() {
        int groups = part.partitionCount();
        try (Reservation memory = new Reservation(part.scratch().budget());
                BudgetArena arena = new BudgetArena(part.scratch().budget())) {
            Accumulator sums = accumulator(groups, memory);
            Adder adder = new Adder(sums);
            for (int row = 0; row < rowCount; row++) {
                part.check(row);
                if (counts(row)) {
                    adder.add(row, part.partition(row));
                }
            }
            adder.flush();
            if (rowCount > 0 && isCarried(0)) {
                absorb(carry.states(), null, 0, 1, sums, new int[1]);
            }
            ValueStore answers = ValueStore.of(result.type(), memory);
            append(sums.result(0, groups, arena), groups, answers);
            int[] rows = new int[rowCount];
            for (int row = 0; row < rowCount; row++) {
                part.check(row);
                rows[row] = part.partition(row);
            }
            result.appendGathered(answers, rows, 0, rowCount, new ValueStore.GatherTile(result.type()));
        }
    }

    private Accumulator accumulator(int groups, Reservation memory) {
        Accumulator made = Accumulator.of(call, argumentType, memory);
        made.ensure(groups);
        return made;
    }

    static void append(Column column, int count, ValueStore to) {
        DataType type = to.type();
        BatchInput input = new BatchInput(List.of(type), TILE_ROWS);
        Batch batch = Batch.view(RowStore.schema(List.of(type)), List.of(column), count);
        Mask all = new Mask(TILE_ROWS);
        for (int first = 0; first < count; first += TILE_ROWS) {
            int rows = Math.min(TILE_ROWS, count - first);
            all.setAll(rows);
            input.moveTo(batch, first, rows);
            to.append(input.load(0, all), all);
        }
    }

    /// Adds rows of the argument to groups, a tile at a time.
    private final class Adder {
        private final Accumulator to;
        private final Vector values = Vector.of(argument.type(), TILE_ROWS);
        private final Vector[] furtherValues = new Vector[further.length];
        private final int[] rows = new int[TILE_ROWS];
        private final int[] groups = new int[TILE_ROWS];
        private final int[] places = new int[TILE_ROWS];
        private final Mask all = new Mask(TILE_ROWS);
        private int count;

        Adder(Accumulator to) {
            this.to = to;
            for (int place = 0; place < places.length; place++) {
                places[place] = place;
            }
            for (int index = 0; index < further.length; index++) {
                furtherValues[index] = Vector.of(further[index].type(), TILE_ROWS);
            }
        }

        void add(int row, int group) {
            rows[count] = row;
            groups[count] = group;
            if (++count == TILE_ROWS) {
                flush();
            }
        }

        void flush() {
            if (count > 0) {
                all.setAll(count);
                argument.gather(rows, all, values, false);
                for (int index = 0; index < further.length; index++) {
                    further[index].gather(rows, all, furtherValues[index], false);
                }
                to.bind(furtherValues);
                to.add(values, places, groups, count);
                count = 0;
            }
        }
    }

    /// From a tree: leaves of 16 rows, nodes of 4 children.
    private void merged() {
        boolean isShort = frames.totalRows() <= (long) SHORT_FRAME * rowCount;
        try (Reservation memory = new Reservation(part.scratch().budget())) {
            List<Accumulator> levels = isShort ? List.of() : tree(memory);
            for (int first = 0; first < rowCount; first += TILE_ROWS) {
                part.check();
                mergeTile(first, Math.min(TILE_ROWS, rowCount - first), levels);
            }
        }
    }

    private List<Accumulator> tree(Reservation memory) {
        List<Accumulator> levels = new ArrayList<>();
        int nodes = (rowCount >>> LEAF_BITS) + 1;
        Accumulator leaves = accumulator(nodes, memory);
        Adder adder = new Adder(leaves);
        for (int row = 0; row < rowCount; row++) {
            part.check(row);
            if (counts(row)) {
                adder.add(row, row >>> LEAF_BITS);
            }
        }
        adder.flush();
        levels.add(leaves);
        while (nodes > 1 << FANOUT_BITS) {
            int parents = (nodes >>> FANOUT_BITS) + 1;
            Accumulator above = accumulator(parents, memory);
            int[] groups = new int[Math.min(nodes, TILE_ROWS)];
            for (int first = 0; first < nodes; first += TILE_ROWS) {
                int count = Math.min(TILE_ROWS, nodes - first);
                for (int node = 0; node < count; node++) {
                    groups[node] = first + node >>> FANOUT_BITS;
                }
                absorb(levels.getLast(), null, first, count, above, groups);
            }
            levels.add(above);
            nodes = parents;
        }
        return levels;
    }

    private void absorb(Accumulator from, int[] order, int first, int count, Accumulator to, int[] groups) {
        try (BudgetArena arena = new BudgetArena(part.scratch().budget())) {
            List<Column> columns = new ArrayList<>();
            from.partials(order, first, count, arena, columns);
            to.absorb(columns, 0, 0, groups, count);
        }
    }

    private void mergeTile(int first, int count, List<Accumulator> levels) {
        try (Reservation memory = new Reservation(part.scratch().budget());
                BudgetArena arena = new BudgetArena(part.scratch().budget())) {
            Accumulator answers = accumulator(count, memory);
            Adder adder = new Adder(answers);
            Nodes[] nodes = new Nodes[levels.size()];
            for (int level = 0; level < nodes.length; level++) {
                nodes[level] = new Nodes();
            }
            for (int index = 0; index < count; index++) {
                int runCount = frames.runs(first + index, runs);
                for (int run = 0; run < runCount; run++) {
                    cover(runs[2 * run], runs[2 * run + 1], index, adder, nodes);
                }
            }
            adder.flush();
            for (int level = 0; level < nodes.length; level++) {
                nodes[level].mergeInto(answers, levels.get(level));
            }
            addCarry(first, count, answers);
            append(answers.result(0, count, arena), count, result);
        }
    }

    private void addCarry(int first, int count, Accumulator answers) {
        int carried = 0;
        while (carried < count && isCarried(first + carried)) {
            carried++;
        }
        if (carried > 0) {
            int[] groups = new int[carried];
            for (int index = 0; index < carried; index++) {
                groups[index] = index;
            }
            absorb(carry.states(), new int[carried], 0, carried, answers, groups);
        }
    }

    /// Rows [from, to) as rows and nodes.
    private void cover(int from, int to, int group, Adder adder, Nodes[] nodes) {
        if (nodes.length == 0 || to - from <= 1 << LEAF_BITS + 1) {
            addRows(from, to, group, adder);
            return;
        }
        int low = from + (1 << LEAF_BITS) - 1 >>> LEAF_BITS;
        int high = to >>> LEAF_BITS;
        addRows(from, low << LEAF_BITS, group, adder);
        addRows(high << LEAF_BITS, to, group, adder);
        for (int level = 0; low < high; level++) {
            boolean isTop = level == nodes.length - 1;
            int mask = (1 << FANOUT_BITS) - 1;
            while (low < high && (isTop || (low & mask) != 0)) {
                nodes[level].add(low++, group);
            }
            while (low < high && (high & mask) != 0) {
                nodes[level].add(--high, group);
            }
            low >>>= FANOUT_BITS;
            high >>>= FANOUT_BITS;
        }
    }

    private void addRows(int from, int to, int group, Adder adder) {
        for (int row = from; row < to; row++) {
            if (counts(row)) {
                adder.add(row, group);
            }
        }
    }

    /// Nodes of one level, and the group that each goes to.
    private final class Nodes {
        private int[] numbers = new int[64];
        private int[] groups = new int[64];
        private int count;

        void add(int node, int group) {
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * count);
                groups = Arrays.copyOf(groups, 2 * count);
            }
            numbers[count] = node;
            groups[count++] = group;
        }

        void mergeInto(Accumulator to, Accumulator level) {
            if (count > 0) {
                absorb(level, numbers, 0, count, to, groups);
            }
        }
    }
}
