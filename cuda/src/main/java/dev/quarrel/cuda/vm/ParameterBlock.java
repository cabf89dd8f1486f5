package dev.quarrel.cuda.vm;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Writes the one parameter of a kernel, as `params.h` lays it out.
public final class ParameterBlock {
    public static final int BYTES = 4000;
    /// Rows that the buffers of columns are padded to: those of a warp.
    public static final int PADDED_ROWS = 256;
    public static final int INSTRUCTION_BYTES = 16;
    /// Bytes of what a launch reports: see [#ERROR].
    public static final int STATUS_BYTES = 8;
    /// Where in it the errors are, 0 for none.
    public static final int ERROR = 0;

    static final int ROW_COUNT = 0;
    static final int CODE = 8;
    static final int CELLS = 16;
    static final int GROUP_COUNT = 24;
    static final int STATUS = 32;
    static final int WORD_KINDS = 40;
    static final int CELL_WORDS = 48;
    static final int WARP_BASE = 52;
    static final int WARP_BYTES = 56;
    static final int MASK_BASE = 60;
    static final int CELL_BASE = 64;
    static final int CODE_BASE = 68;
    static final int CODE_COUNT = 72;
    static final int CONSTANT_COUNT = 76;
    static final int OWN_WORDS = 80;
    static final int BLOCK_BASE = 84;
    static final int BLOCK_WORDS = 88;
    static final int BLOCK_PAIRS = 92;
    static final int COLUMNS = 96;
    static final int TABLES = COLUMNS + VmProgram.MAX_COLUMNS * 16;
    static final int CONSTANTS = TABLES + VmProgram.MAX_TABLES * 24;
    static final int INLINE_CODE = CONSTANTS + VmProgram.MAX_CONSTANTS * 8;

    private static final int FLAG_MASK_BYTE = 0xFF;
    private static final int WARP = 32;
    private static final int TOGETHER = 4;

    private final VmProgram program;
    private final int threads;
    // Of a block's shared memory: constants, code, groups' cells, then the warps' parts.
    private final int codeBase;
    private final int blockBase;
    private final int warpBase;
    private final int warpBytes;
    // Of a warp's part: slots, masks, own cells.
    private final int maskBase;
    private final int cellBase;
    private final int sharedBytes;

    private ParameterBlock(VmProgram program, int threads) {
        this.program = program;
        this.threads = threads;
        this.codeBase = aligned((long) program.constants().size() * constantBytes());
        this.blockBase = aligned(codeBase + (long) program.code().size() * INSTRUCTION_BYTES);
        this.warpBase = aligned(blockBase + program.block().bytes());
        this.maskBase = aligned((long) program.slots() * slotBytes());
        this.cellBase = aligned(maskBase + (long) program.maskSlots() * WARP);
        this.warpBytes = aligned(cellBase + (long) ownWords() * WARP * Long.BYTES);
        this.sharedBytes = aligned(warpBase + (long) warpBytes * (threads / WARP));
    }

    /// The block for a program with as many threads as its slots leave room for, or null where not even a
    /// warp has room.
    ///
    /// @param mostThreads of a block
    /// @param mostSharedBytes of a block
    public static ParameterBlock of(VmProgram program, int mostThreads, int mostSharedBytes) {
        for (int threads = Integer.highestOneBit(mostThreads); threads >= WARP; threads /= 2) {
            ParameterBlock block = new ParameterBlock(program, threads);
            if (block.sharedBytes <= mostSharedBytes) {
                return block;
            }
        }
        return null;
    }

    private static int aligned(long bytes) {
        return Math.toIntExact((bytes + 15) / 16 * 16);
    }

    private int slotBytes() {
        return VmProgram.LANE_ROWS * WARP * program.laneBytes();
    }

    /// A constant stands there as often as rows of a thread are loaded together.
    private int constantBytes() {
        return TOGETHER * program.laneBytes();
    }

    private int ownWords() {
        return program.ownWords();
    }

    /// Threads of a block.
    public int threads() {
        return threads;
    }

    /// Blocks that a launch over so many rows takes: one a multiprocessor at most.
    public int blocks(long rowCount, int multiprocessors) {
        long warps = (rowCount + PADDED_ROWS - 1) / PADDED_ROWS;
        return (int) Math.clamp((warps * 32 + threads - 1) / threads, 1, multiprocessors);
    }

    /// Dynamic shared memory of a block.
    public int sharedBytes() {
        return sharedBytes;
    }

    /// Writes the code, as the interpreter reads it.
    ///
    /// @param to holds [#INSTRUCTION_BYTES] an instruction
    public void writeCode(MemorySegment to) {
        long at = 0;
        for (VmInstruction instruction : program.code()) {
            to.set(INT16, at, (short) instruction.op().ordinal());
            to.set(ValueLayout.JAVA_BYTE, at + 2, (byte) instruction.flags());
            to.set(ValueLayout.JAVA_BYTE, at + 3, (byte) (instruction.k() & FLAG_MASK_BYTE));
            to.set(
                    INT32,
                    at + 4,
                    instruction.op().fields().get(VmOpcode.Field.A) == VmOpcode.Use.SLOT
                            ? instruction.a() * slotBytes()
                            : instruction.a());
            to.set(INT32, at + 8, place(instruction));
            to.set(INT32, at + 12, instruction.c());
            at += INSTRUCTION_BYTES;
        }
    }

    /// Operand `b` as bytes of shared memory, from the constants' or the slots' start; otherwise as it is.
    private int place(VmInstruction instruction) {
        return switch (instruction.op().fields().get(VmOpcode.Field.B)) {
            case OPERAND, SLOT ->
                instruction.has(VmInstruction.IMMEDIATE)
                        ? instruction.b() * constantBytes()
                        : instruction.b() * slotBytes();
            case null, default -> instruction.b();
        };
    }

    /// The block of a kernel that is no interpreter: cells, columns, and a number of its own.
    ///
    /// @param to holds [#BYTES]
    /// @param cells address of `cellCount` words, or 0
    /// @param number in the place of a group's words
    public static void write(
            MemorySegment to, long rowCount, long cells, long cellCount, int number, List<DeviceColumn> columns) {
        to.asSlice(0, BYTES).fill((byte) 0);
        to.set(INT64, ROW_COUNT, rowCount);
        to.set(INT64, CELLS, cells);
        to.set(INT64, GROUP_COUNT, cellCount);
        to.set(INT32, CELL_WORDS, number);
        writeColumns(to, columns);
    }

    private static void writeColumns(MemorySegment to, List<DeviceColumn> columns) {
        for (int index = 0; index < columns.size(); index++) {
            to.set(INT64, COLUMNS + index * 16L, columns.get(index).data());
            to.set(INT64, COLUMNS + index * 16L + 8, columns.get(index).valid());
        }
    }

    /// Writes the block.
    ///
    /// @param to holds [#BYTES]
    /// @param code address of the code where it is far, otherwise 0
    /// @param cells address of `groupCount` groups' words
    /// @param status address of [#STATUS_BYTES]
    public void write(
            MemorySegment to,
            long rowCount,
            long code,
            long cells,
            long groupCount,
            long status,
            List<DeviceColumn> columns,
            List<DeviceTable> tables) {
        write(to, rowCount, code, cells, groupCount, status, columns, tables, program.constants());
    }

    /// The same with other constants in the program's places.
    ///
    /// @param constants as many as the program has; each fits its lanes
    public void write(
            MemorySegment to,
            long rowCount,
            long code,
            long cells,
            long groupCount,
            long status,
            List<DeviceColumn> columns,
            List<DeviceTable> tables,
            List<Long> constants) {
        to.asSlice(0, BYTES).fill((byte) 0);
        to.set(INT64, ROW_COUNT, rowCount);
        to.set(INT64, CODE, code);
        to.set(INT64, CELLS, cells);
        to.set(INT64, GROUP_COUNT, groupCount);
        to.set(INT64, STATUS, status);
        to.set(INT64, WORD_KINDS, program.wordKinds());
        to.set(INT32, CELL_WORDS, program.words());
        to.set(INT32, WARP_BASE, warpBase);
        to.set(INT32, WARP_BYTES, warpBytes);
        to.set(INT32, MASK_BASE, maskBase);
        to.set(INT32, CELL_BASE, cellBase);
        to.set(INT32, CODE_BASE, codeBase);
        to.set(INT32, CODE_COUNT, program.code().size());
        to.set(INT32, CONSTANT_COUNT, program.constants().size());
        to.set(INT32, OWN_WORDS, ownWords());
        to.set(INT32, BLOCK_BASE, blockBase);
        to.set(INT32, BLOCK_WORDS, program.block().words());
        to.set(INT32, BLOCK_PAIRS, program.block().pairs());
        if (program.block().words() > 0 && groupCount != program.block().groups()) {
            throw new IllegalArgumentException(
                    groupCount + " groups, of " + program.block().groups() + " in a block");
        }
        for (int index = 0; index < columns.size(); index++) {
            DeviceColumn column = columns.get(index);
            if (column.physical() != program.columns().get(index)) {
                throw new IllegalArgumentException("column " + index + " is " + column.physical());
            }
        }
        writeColumns(to, columns);
        for (int index = 0; index < tables.size(); index++) {
            DeviceTable table = tables.get(index);
            boolean isWithinLanes = program.laneBytes() == 8
                    || table.size() == 0
                    || table.base() == (int) table.base() && table.base() + table.size() - 1 <= Integer.MAX_VALUE;
            if (table.kind() != program.tables().get(index) || !isWithinLanes) {
                throw new IllegalArgumentException("table " + index + " is " + table);
            }
            to.set(INT64, TABLES + index * 24L, table.data());
            to.set(INT64, TABLES + index * 24L + 8, table.size());
            to.set(INT64, TABLES + index * 24L + 16, table.base() - table.shift());
        }
        if (constants.size() != program.constants().size()) {
            throw new IllegalArgumentException(constants.size() + " constants");
        }
        for (int index = 0; index < constants.size(); index++) {
            to.set(INT64, CONSTANTS + index * 8L, constants.get(index));
        }
        if (!program.isFar()) {
            writeCode(to.asSlice(INLINE_CODE));
        }
    }

    /// Sizes and offsets, in the order in which the host build gives the compiler's.
    public static int[] layout() {
        return new int[] {
            BYTES,
            ROW_COUNT,
            CODE,
            CELLS,
            GROUP_COUNT,
            STATUS,
            WORD_KINDS,
            CELL_WORDS,
            WARP_BASE,
            WARP_BYTES,
            MASK_BASE,
            CELL_BASE,
            CODE_BASE,
            CODE_COUNT,
            CONSTANT_COUNT,
            OWN_WORDS,
            BLOCK_BASE,
            BLOCK_WORDS,
            BLOCK_PAIRS,
            COLUMNS,
            TABLES,
            CONSTANTS,
            INLINE_CODE
        };
    }
}
