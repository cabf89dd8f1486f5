package dev.quarrel.cuda.program;

import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceResource;
import dev.quarrel.cuda.column.ColumnCache;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.column.ResidentColumns.Resident;
import dev.quarrel.cuda.encode.BuildRows;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.GroupKey;
import dev.quarrel.cuda.encode.TableUse;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.facts.SurveyedSide;
import dev.quarrel.cuda.vm.DeviceTable;
import dev.quarrel.cuda.vm.TableKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The tables that a pipeline's program reads, on the device.
public final class PipelineTables implements DeviceResource {
    private final ResidentColumns resident;
    private final CommandQueue queue;
    private final EncodedPipeline encoded;
    private final PipelineFacts facts;
    private final List<DeviceMemory> memory = new ArrayList<>();
    private final List<ColumnCache<Resident>.Pin> pins = new ArrayList<>(); // of tables that stay
    private final List<DeviceTable> tables = new ArrayList<>();
    private final Map<Integer, DeviceMemory> keys = new HashMap<>();
    private DeviceMemory groups;

    private PipelineTables(ResidentColumns resident, CommandQueue queue, EncodedPipeline encoded, PipelineFacts facts) {
        this.resident = resident;
        this.queue = queue;
        this.encoded = encoded;
        this.facts = facts;
    }

    /// Makes and copies them; it returns when they are there.
    public static PipelineTables of(
            ResidentColumns resident, CommandQueue queue, EncodedPipeline encoded, PipelineFacts facts) {
        PipelineTables made = new PipelineTables(resident, queue, encoded, facts);
        try (Arena arena = Arena.ofConfined()) {
            for (TableUse use : encoded.tables()) {
                made.add(use, arena);
            }
            queue.synchronize();
            return made;
        } catch (RuntimeException | Error problem) {
            queue.settle();
            made.close();
            throw problem;
        }
    }

    /// Makes the tables of a join's keys again, once its build side is another part. Tables by build row stay: all
    /// parts have the same rows.
    ///
    /// - Errors: `DeviceFault`; the tables are of no use then.
    public void remakeKeys(int join) {
        try (Arena arena = Arena.ofConfined()) {
            try {
                for (int table = 0; table < tables.size(); table++) {
                    TableUse use = encoded.tables().get(table);
                    if (use.keysOf() == join) {
                        int piece = memory.indexOf(memory.stream()
                                .filter(at(tables.get(table)))
                                .findFirst()
                                .orElseThrow());
                        memory.remove(piece).close();
                        add(use, arena);
                        tables.set(table, tables.removeLast());
                    }
                }
                queue.synchronize();
            } catch (RuntimeException | Error problem) {
                queue.settle();
                throw problem;
            }
        }
    }

    private static Predicate<DeviceMemory> at(DeviceTable table) {
        return piece -> piece.address() == table.data();
    }

    /// Bytes that all of them will take.
    public static long bytes(EncodedPipeline encoded, PipelineFacts facts) {
        long bytes = 0;
        for (TableUse use : encoded.tables()) {
            bytes += bytes(use, facts);
        }
        return bytes;
    }

    /// Bytes of those that the device makes itself.
    public static long madeThere(EncodedPipeline encoded, PipelineFacts facts) {
        long bytes = 0;
        for (TableUse use : encoded.tables()) {
            bytes += use.keysOf() >= 0 && facts.build(use.keysOf()) instanceof SurveyedSide ? bytes(use, facts) : 0;
        }
        return bytes;
    }

    private static long bytes(TableUse use, PipelineFacts facts) {
        return switch (use) {
            case TableUse.KeySet(int join) -> 8L * words(facts.build(join).width() + 1);
            case TableUse.KeyDigits(int join) -> 4 * (facts.build(join).width() + 1);
            case TableUse.KeyRows(int join, boolean isHashed) ->
                isHashed
                        ? 16L * slots(facts.build(join).keyedRows())
                        : 4 * (facts.build(join).width() + 1);
            case TableUse.Shifted(TableUse table, long _) -> bytes(table, facts);
            case TableUse.RowDigits(int join) -> 4L * facts.build(join).rowCount();
            case TableUse.NextRow(int join) -> 4L * facts.build(join).rowCount();
            case TableUse.Payload(int join, int _, boolean isWide) ->
                (isWide ? 8L : 4L) * facts.build(join).rowCount();
            case TableUse.PayloadPresent(int join, int _) ->
                8L * words(facts.build(join).rowCount() + 1L);
            case TableUse.Groups(int slots) -> 8L * slots;
            case TableUse.Keys(int _, int slots) -> 8L * slots;
            case TableUse.Texts texts -> 8L * texts.words().length;
            case TableUse.TextHashes(int input) ->
                8L * Math.max(1, facts.dictionary(input).size());
            case TableUse.TextSet(int input, var _) ->
                8L * words(facts.dictionary(input).size() + 1L);
            case TableUse.Given(int[] values) -> 4L * Math.max(2, values.length);
        };
    }

    /// Slots of a hash table for so many rows.
    private static int slots(int rowCount) {
        return Integer.highestOneBit(Math.max(8, rowCount)) * 4;
    }

    /// The keys of groups that were found, by slot; null where a group is its number.
    public DeviceMemory groups() {
        return groups;
    }

    /// The values of grouping columns that were found, by the columns' numbers among the keys.
    public Map<Integer, DeviceMemory> keys() {
        return keys;
    }

    public List<DeviceTable> tables() {
        return tables;
    }

    private void add(TableUse use, Arena arena) {
        switch (use) {
            case TableUse.KeySet(int join)
            when facts.build(join) instanceof SurveyedSide side ->
                add(TableKind.BITS, side.build().tables().keys(queue), side);
            case TableUse.KeyDigits(int join)
            when facts.build(join) instanceof SurveyedSide side -> add(TableKind.DENSE, digits(side, join), side);
            case TableUse.KeySet(int join) -> {
                BuildRows build = rows(join);
                long[] bits = new long[words(build.width() + 1)];
                for (int row = 0; row < build.rowCount(); row++) {
                    if (build.hasKey(row)) {
                        set(bits, build.key(row) - build.least());
                    }
                }
                add(TableKind.BITS, longs(bits, arena), build.width(), build.least());
            }
            case TableUse.KeyDigits(int join) -> add(TableKind.DENSE, join, digits(join), arena);
            case TableUse.KeyRows(int join, boolean isHashed) -> {
                int[] rows = new int[rows(join).rowCount()];
                Arrays.setAll(rows, row -> row);
                if (isHashed) {
                    addHash(rows(join), arena);
                } else {
                    add(TableKind.DENSE, join, rows, arena);
                }
            }
            case TableUse.Shifted(TableUse table, long by) -> {
                add(table, arena);
                tables.add(tables.removeLast().shifted(by));
            }
            case TableUse.RowDigits(int join) -> {
                int[] digits = digits(join);
                add(TableKind.DENSE, ints(digits, arena), digits.length, 0);
            }
            case TableUse.NextRow(int join) -> {
                int[] next = rows(join).nextRows();
                add(TableKind.DENSE, ints(next, arena), next.length, 0);
            }
            case TableUse.Payload(int join, int column, boolean isWide) -> {
                BuildRows build = rows(join);
                long[] values = new long[build.rowCount()];
                build.readPayload(column, values, new boolean[values.length]);
                if (isWide) {
                    add(TableKind.ARRAY_64, longs(values, arena), values.length, 0);
                } else {
                    int[] narrow = new int[values.length];
                    Arrays.setAll(narrow, row -> (int) values[row]);
                    add(TableKind.DENSE, ints(narrow, arena), narrow.length, 0);
                }
            }
            case TableUse.PayloadPresent(int join, int column) -> {
                boolean[] present = new boolean[facts.build(join).rowCount()];
                rows(join).readPayload(column, new long[present.length], present);
                long[] bits = new long[words(present.length + 1L)];
                for (int row = 0; row < present.length; row++) {
                    if (present[row]) {
                        set(bits, row);
                    }
                }
                add(TableKind.BITS, longs(bits, arena), present.length, 0);
            }
            case TableUse.Groups(int slots) -> groups = addGroups(slots);
            case TableUse.Keys(int column, int slots) -> keys.put(column, addGroups(slots));
            case TableUse.Texts texts ->
                add(TableKind.TEXTS, longs(texts.words(), arena), texts.texts().size(), 0);
            case TableUse.TextHashes(int input) -> {
                Utf8Column texts = facts.dictionary(input).values();
                long[] hashes = new long[texts.rowCount()];
                Arrays.setAll(hashes, code -> {
                    MemorySegment text = texts.bytes(code);
                    return KeyHash.ofBytes(text, 0, (int) text.byteSize());
                });
                add(TableKind.ARRAY_64, longs(hashes, arena), hashes.length, 0);
            }
            case TableUse.TextSet(int input, var condition) -> {
                int codes = facts.dictionary(input).size();
                long[] bits = Arrays.copyOf(facts.accepted(input, condition), words(codes + 1L));
                add(TableKind.BITS, longs(bits, arena), codes, 0);
            }
            case TableUse.Given(int[] values) -> add(TableKind.DENSE, ints(values, arena), values.length, 0);
        }
    }

    private BuildRows rows(int join) {
        return (BuildRows) facts.build(join);
    }

    private void add(TableKind kind, ColumnCache<Resident>.Pin pin, SurveyedSide side) {
        pins.add(pin);
        tables.add(new DeviceTable(kind, pin.buffer().column().data(), side.width(), side.least()));
    }

    private DeviceMemory addGroups(int slots) {
        DeviceMemory made = resident.allocate(slots * 8L);
        memory.add(made);
        queue.fill(made, 0, slots * 8L, (byte) -1);
        tables.add(new DeviceTable(TableKind.GROUPS, made.address(), slots, 0));
        return made;
    }

    /// By key: what the columns of a side that has no rows add to the number of the group.
    private ColumnCache<Resident>.Pin digits(SurveyedSide side, int join) {
        Map<Integer, int[]> numberings = new TreeMap<>();
        Map<Integer, Long> strides = new TreeMap<>();
        StringBuilder name = new StringBuilder("digits");
        for (int key = 0; key < encoded.keys().size(); key++) {
            if (encoded.keys().get(key) instanceof GroupKey.OfBuild of && of.join() == join) {
                // A column that is grouped by twice has the same numbers, and counts for both.
                numberings.put(of.column(), of.numbering().numberOf());
                strides.merge(of.column(), encoded.strides().get(key), Long::sum);
            }
        }
        strides.forEach((column, stride) ->
                name.append(' ').append(column).append(" by ").append(stride));
        return side.build().tables().digits(queue, numberings, strides, name.toString());
    }

    /// By build row: what its columns add to the number of the group.
    private int[] digits(int join) {
        int[] digits = new int[facts.build(join).rowCount()];
        for (int key = 0; key < encoded.keys().size(); key++) {
            if (encoded.keys().get(key) instanceof GroupKey.OfBuild of && of.join() == join) {
                for (int row = 0; row < digits.length; row++) {
                    digits[row] += (int)
                            (of.numbering().numberOf()[row] * encoded.strides().get(key));
                }
            }
        }
        return digits;
    }

    /// A table by key of what is given by build row; behind the last key stands -1.
    private void add(TableKind kind, int join, int[] byRow, Arena arena) {
        BuildRows build = rows(join);
        int[] byKey = new int[Math.toIntExact(build.width() + 1)];
        Arrays.fill(byKey, -1);
        // Of several rows of a key the first remains.
        for (int row = byRow.length - 1; row >= 0; row--) {
            if (build.hasKey(row)) {
                byKey[(int) (build.key(row) - build.least())] = byRow[row];
            }
        }
        add(kind, ints(byKey, arena), byKey.length - 1L, build.least());
    }

    private void addHash(BuildRows build, Arena arena) {
        int size = slots(build.keyedRows());
        long[] slots = new long[size * 2];
        for (int at = 1; at < slots.length; at += 2) {
            slots[at] = -1;
        }
        for (int row = build.rowCount() - 1; row >= 0; row--) {
            if (!build.hasKey(row)) {
                continue;
            }
            int at = (int) KeyHash.of(build.key(row)) & size - 1;
            while (slots[2 * at + 1] >= 0 && slots[2 * at] != build.key(row)) {
                at = at + 1 & size - 1;
            }
            slots[2 * at] = build.key(row);
            slots[2 * at + 1] = row;
        }
        add(TableKind.HASH, longs(slots, arena), size, 0);
    }

    private static int words(long bits) {
        return Math.toIntExact((bits + 63) / 64);
    }

    private static void set(long[] bits, long at) {
        bits[(int) (at >> 6)] |= 1L << at;
    }

    private static MemorySegment ints(int[] values, Arena arena) {
        return arena.allocate(Math.max(8, values.length * 4L), 8).copyFrom(MemorySegment.ofArray(values));
    }

    private static MemorySegment longs(long[] values, Arena arena) {
        return arena.allocate(Math.max(8, values.length * 8L), 8)
                .copyFrom(MemorySegment.ofArray(values)
                        .asSlice(0, values.length * (long) ValueLayout.JAVA_LONG.byteSize()));
    }

    private void add(TableKind kind, MemorySegment content, long size, long base) {
        DeviceMemory made = resident.allocate(content.byteSize());
        memory.add(made);
        queue.upload(content, made, 0);
        tables.add(new DeviceTable(kind, made.address(), size, base));
    }

    @Override
    public void close() {
        memory.forEach(DeviceMemory::close);
        memory.clear();
        pins.forEach(ColumnCache.Pin::close);
        pins.clear();
    }
}
