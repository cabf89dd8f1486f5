package dev.quarrel.cuda.vm;

import java.util.List;

/// A program of the interpreter on the device, and what it needs.
///
/// @param laneBytes of a value in hand: 4 or 8
/// @param constants as int64; those of narrow lanes fit them
/// @param slots of values
/// @param maskSlots of rows
/// @param words of a group's cells
/// @param ownWords the first words, where each thread has its own, which are added up at the end; 0 with groups
/// @param isGrouped whether cells are the groups'
/// @param wordKinds two bits a word, of the first [#MAX_OWN_WORDS]: how cells of threads, and of blocks, come together
/// @param columns which it reads, by number
/// @param tables by number
/// @param block the groups' cells that a block has for itself
public record VmProgram(
        int laneBytes,
        List<VmInstruction> code,
        List<Long> constants,
        int slots,
        int maskSlots,
        int words,
        int ownWords,
        boolean isGrouped,
        long wordKinds,
        List<Physical> columns,
        List<TableKind> tables,
        Block block) {
    /// Groups' cells in a block's shared memory.
    ///
    /// @param groups all of them
    /// @param words of each, the first ones; 0 where blocks have none
    /// @param pairs a bit a word: it and the next are one number
    public record Block(int groups, int words, int pairs) {
        public static final Block NONE = new Block(0, 0, 0);

        public long bytes() {
            return (long) groups * words * Long.BYTES;
        }
    }

    /// Rows of a thread.
    public static final int LANE_ROWS = 8;

    public static final int MAX_COLUMNS = 32;
    public static final int MAX_TABLES = 16;
    public static final int MAX_CONSTANTS = 56;
    public static final int MAX_OWN_WORDS = 32;
    /// Of groups' cells that a block has.
    public static final int MAX_BLOCK_BYTES = 48 << 10;
    /// Mask slots that a tile's split into groups takes: two words a thread.
    public static final int SPLIT_SLOTS = 8;
    /// Words of an exact sum of floats: flags, then limbs of 32 bits, of which the first counts 2^-1088.
    public static final int FLOAT_WORDS = 68;

    public static final int MIN_HLL_BITS = 4;
    public static final int MAX_HLL_BITS = 16;
    public static final int INLINE_CODE = 160;
    public static final int MAX_CODE = 4096;
    public static final int MAX_SLOTS = 64;
    public static final int MAX_MASK_SLOTS = 255;

    public static final int REDUCE_ADD = 0;
    public static final int REDUCE_MAX = 1;
    public static final int REDUCE_OR = 2;
    public static final int REDUCE_XOR = 3;

    public VmProgram {
        code = List.copyOf(code);
        constants = List.copyOf(constants);
        columns = List.copyOf(columns);
        tables = List.copyOf(tables);
    }

    /// Without cells of blocks.
    public VmProgram(
            int laneBytes,
            List<VmInstruction> code,
            List<Long> constants,
            int slots,
            int maskSlots,
            int words,
            int ownWords,
            boolean isGrouped,
            long wordKinds,
            List<Physical> columns,
            List<TableKind> tables) {
        this(
                laneBytes,
                code,
                constants,
                slots,
                maskSlots,
                words,
                ownWords,
                isGrouped,
                wordKinds,
                columns,
                tables,
                Block.NONE);
    }

    /// Whether the code is too long for the parameters.
    public boolean isFar() {
        return code.size() > INLINE_CODE;
    }

    /// Whether it needs the full interpreter.
    public boolean isFull() {
        return code.stream().anyMatch(instruction -> instruction.op().isFull());
    }

    /// Words of a HyperLogLog's registers, which are bytes.
    public static int hllWords(int bits) {
        return 1 << bits - 3;
    }

    /// The program as text, a line an instruction.
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append("lanes ")
                .append(laneBytes * 8)
                .append(" slots ")
                .append(slots)
                .append(" masks ");
        text.append(maskSlots)
                .append(" words ")
                .append(words)
                .append(isGrouped ? " grouped" : "")
                .append(block.words() > 0 ? " " + block : "")
                .append('\n');
        code.forEach(instruction -> text.append(instruction).append('\n'));
        return text.toString();
    }
}
