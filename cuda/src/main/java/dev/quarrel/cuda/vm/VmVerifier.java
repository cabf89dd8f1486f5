package dev.quarrel.cuda.vm;

import dev.quarrel.cuda.vm.VmOpcode.Field;
import dev.quarrel.cuda.vm.VmOpcode.Use;
import java.util.Map;

/// Refuses a program that the interpreter on the device could not run without leaving its memory: numbers out of range,
/// columns and tables of another kind than an opcode reads, code without an end, more than the parameters hold.
///
/// - Errors: [IllegalArgumentException] that names the instruction.
public final class VmVerifier {
    private final VmProgram program;

    private VmVerifier(VmProgram program) {
        this.program = program;
    }

    public static void verify(VmProgram program) {
        new VmVerifier(program).run();
    }

    private void run() {
        require(program.laneBytes() == 4 || program.laneBytes() == 8, "lanes of " + program.laneBytes() + " bytes");
        within(program.columns().size(), VmProgram.MAX_COLUMNS, "columns");
        within(program.tables().size(), VmProgram.MAX_TABLES, "tables");
        within(program.constants().size(), VmProgram.MAX_CONSTANTS, "constants");
        within(program.code().size(), VmProgram.MAX_CODE, "instructions");
        within(program.slots(), VmProgram.MAX_SLOTS, "slots");
        within(program.maskSlots(), VmProgram.MAX_MASK_SLOTS, "mask slots");
        require(program.words() >= 0, program.words() + " words");
        within(program.ownWords(), Math.min(VmProgram.MAX_OWN_WORDS, program.words()), "words a thread");
        require(!program.isGrouped() || program.ownWords() == 0, "a thread's own words where there are groups");
        checkBlock(program.block());
        if (program.laneBytes() == 4) {
            for (long constant : program.constants()) {
                require(constant == (int) constant, "constant " + constant + " is wider than a lane");
            }
        }
        require(
                !program.code().isEmpty() && program.code().getLast().op() == VmOpcode.END,
                "code that does not come to an end");
        for (int at = 0; at < program.code().size(); at++) {
            VmInstruction instruction = program.code().get(at);
            try {
                check(instruction);
                if (instruction.op() == VmOpcode.NEXT_MATCH) {
                    checkLoop(instruction, at);
                }
            } catch (IllegalArgumentException problem) {
                throw new IllegalArgumentException(problem.getMessage() + " in " + instruction, problem);
            }
        }
    }

    private void checkBlock(VmProgram.Block block) {
        within(block.words(), Math.min(VmProgram.MAX_OWN_WORDS, program.words()), "words of a block");
        require(
                block.groups() >= 0 && block.bytes() <= VmProgram.MAX_BLOCK_BYTES,
                block.groups() + " groups in a block");
        require(block.words() == 0 || program.isGrouped(), "a block's cells where there are no groups");
        require(block.words() == 0 || !program.isFull(), "a block's cells in the full interpreter");
        boolean isApart = (block.pairs() & block.pairs() << 1) == 0;
        require(
                isApart && (long) (block.pairs() & 0xFFFF_FFFFL) << 1 < 1L << block.words(),
                "pairs of words of a block");
    }

    private void check(VmInstruction instruction) {
        VmOpcode op = instruction.op();
        require(instruction.flags() >= 0 && instruction.flags() < 256, "flags");
        require(instruction.k() >= 0 && instruction.k() < 256, "k");
        for (Map.Entry<Field, Use> field : op.fields().entrySet()) {
            int number =
                    switch (field.getKey()) {
                        case K -> instruction.k();
                        case A -> instruction.a();
                        case B -> instruction.b();
                        case C -> instruction.c();
                    };
            check(instruction, field.getValue(), number);
        }
        if (instruction.has(VmInstruction.MASKED)
                || instruction.has(VmInstruction.VALID) && (op == VmOpcode.VALUE_LOAD || op == VmOpcode.VALUE_STORE)) {
            index(instruction.c(), program.maskSlots(), "mask slot");
        }
        require(!op.isFull() || program.laneBytes() == 8, op + " over narrow lanes");
        switch (op) {
            case LOAD_I64,
                    GATHER_I64,
                    GROUP_FIND,
                    FLOAT_ADD,
                    FLOAT_SUBTRACT,
                    FLOAT_MULTIPLY,
                    FLOAT_DIVIDE,
                    FLOAT_NEGATE,
                    FLOAT_ABSOLUTE,
                    FLOAT_ORDER,
                    TO_FLOAT,
                    OWN_WIDE_SUM,
                    GROUP_WIDE_SUM,
                    BLOCK_WIDE_SUM,
                    EMIT_64 -> require(program.laneBytes() == 8, op + " over narrow lanes");
            case DIVIDE_ROUNDED -> require(program.constants().get(instruction.a()) > 0, "a divisor below 1");
            case RANGE, CHECK, LOAD_RANGE_I32, LOAD_RANGE_I24, LOAD_RANGE_I16, LOAD_RANGE_I8 ->
                require(
                        program.constants().get(instruction.a())
                                <= program.constants().get(instruction.b()),
                        "a range without values");
            default -> {}
        }
        if (op.name().startsWith("BLOCK_")) {
            require(program.block().words() > 0, "a block's cells where it has none");
            boolean isPair = op == VmOpcode.BLOCK_WIDE_SUM;
            require(!isPair || (program.block().pairs() >> instruction.a() & 1) != 0, "words that are no pair");
        }
        if (op.name().startsWith("OWN_")) {
            require(!program.isGrouped(), "a thread's own cells where there are groups");
        }
        if (op.name().startsWith("GROUP_") || op == VmOpcode.KEEP_ROWS || op == VmOpcode.ROW_PLACE) {
            require(program.isGrouped(), "groups' cells where there are none");
        }
    }

    /// A loop comes to an end: build rows grow from turn to turn, as long as nothing else writes them.
    private void checkLoop(VmInstruction next, int at) {
        index(next.c(), program.maskSlots(), "mask slot");
        require(next.a() <= at, "a jump forward");
        for (VmInstruction instruction : program.code().subList(next.a(), at)) {
            boolean writes = instruction.op().fields().get(Field.B) == Use.SLOT && instruction.b() == next.b()
                    || instruction.op().fields().get(Field.A) == Use.SLOT && instruction.a() == next.b();
            require(!writes, "a loop whose row is written by " + instruction);
        }
    }

    private void check(VmInstruction instruction, Use use, int number) {
        switch (use) {
            case NUMBER -> {}
            case MASK -> index(number, program.maskSlots(), "mask slot");
            case MASK_PAIR -> index(number, program.maskSlots() - 1, "pair of mask slots");
            case SPLIT -> index(number, program.maskSlots() - VmProgram.SPLIT_SLOTS + 1, "mask slots of a split from");
            case CONSTANT -> index(number, program.constants().size(), "constant");
            case BASE -> {
                if (instruction.has(VmInstruction.IMMEDIATE)) {
                    index(number, program.constants().size(), "constant");
                }
            }
            case SLOT -> {
                boolean isOperand = instruction.op().fields().get(Field.B) == Use.OPERAND;
                require(isOperand || !instruction.has(VmInstruction.IMMEDIATE), "a constant is written");
                index(number, program.slots(), "slot");
            }
            case OPERAND -> {
                if (instruction.has(VmInstruction.IMMEDIATE)) {
                    index(number, program.constants().size(), "constant");
                } else {
                    index(number, program.slots(), "slot");
                }
            }
            case COLUMN_BITS -> column(number, 0);
            case COLUMN_8 -> column(number, 1);
            case COLUMN_16 -> column(number, 2);
            case COLUMN_24 -> column(number, 3);
            case COLUMN_32 -> column(number, 4);
            case COLUMN_64 -> column(number, 8);
            case COLUMN_TEXT -> column(number, Physical.TEXT.width());
            case BITS -> table(number, TableKind.BITS);
            case DENSE -> table(number, TableKind.DENSE);
            case HASH -> table(number, TableKind.HASH);
            case ARRAY_64 -> table(number, TableKind.ARRAY_64);
            case GROUPS -> table(number, TableKind.GROUPS);
            case TEXTS -> table(number, TableKind.TEXTS);
            case CODE -> index(number, program.code().size(), "instruction");
            case WORD -> index(number, cells(instruction.op()), "word");
            case WORD_PAIR -> index(number, cells(instruction.op()) - 1, "pair of words");
            case FLOAT_WORDS -> words(number, VmProgram.FLOAT_WORDS);
            case HLL_WORDS -> {
                int bits = instruction.k();
                require(bits >= VmProgram.MIN_HLL_BITS && bits <= VmProgram.MAX_HLL_BITS, "2^" + bits + " registers");
                words(number, VmProgram.hllWords(bits));
            }
        }
    }

    /// Words that an opcode may write.
    private int cells(VmOpcode op) {
        if (op.name().startsWith("BLOCK_")) {
            return program.block().words();
        }
        return op.name().startsWith("OWN_") ? program.ownWords() : program.words();
    }

    /// Words of the groups' cells alone.
    private void words(int first, int count) {
        require(
                first >= program.ownWords() && first <= program.words() - count,
                "no " + count + " words from word " + first);
    }

    private void column(int number, int width) {
        index(number, program.columns().size(), "column");
        require(
                program.columns().get(number).width() == width,
                "a column of " + program.columns().get(number));
    }

    private void table(int number, TableKind kind) {
        index(number, program.tables().size(), "table");
        require(
                program.tables().get(number) == kind,
                "a table of " + program.tables().get(number));
    }

    private static void index(int number, int count, String what) {
        require(number >= 0 && number < count, "no " + what + " " + number);
    }

    private static void within(int count, int most, String what) {
        require(count >= 0 && count <= most, count + " " + what + ", of " + most + " at most");
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }
}
