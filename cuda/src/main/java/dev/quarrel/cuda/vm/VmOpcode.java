package dev.quarrel.cuda.vm;

import java.util.Map;

/// The instruction set of the interpreter on the device, one constant per opcode; `opcodes.inc` is made of it.
///
/// The interpreter holds *values in hand* (one a row, with the rows that are present), a *truth in hand* (the
/// rows where it is true, and where false) and the *current rows*, on which every instruction acts. Slots keep
/// values, mask slots keep rows; both belong to one thread each.
public enum VmOpcode {
    /// Ends the tile.
    END,
    /// The current rows become those of mask slot `k`.
    MASK_LOAD(Field.K, Use.MASK),
    MASK_STORE(Field.K, Use.MASK),
    /// The current rows in which the truth is true; with SKIP a warp without rows goes to its next tile.
    FILTER_TRUE,
    FILTER_NOT_TRUE,
    FILTER_NOT_FALSE,
    /// The current rows whose value in hand is present.
    FILTER_PRESENT,
    /// The current rows that are not in mask slot `k`.
    FILTER_MINUS(Field.K, Use.MASK),
    /// The truth of mask slots `k` (true) and `k` + 1 (false).
    BOOL_LOAD(Field.K, Use.MASK_PAIR),
    BOOL_STORE(Field.K, Use.MASK_PAIR),
    /// NULL (`k` = 0), true (1) or false (2) in all rows.
    BOOL_CONST(Field.K, Use.NUMBER),
    BOOL_AND(Field.K, Use.MASK_PAIR),
    BOOL_OR(Field.K, Use.MASK_PAIR),
    BOOL_NOT,
    /// The truth of mask slots `k` in the rows of mask slot `a`, that in hand elsewhere.
    BOOL_SELECT(Field.K, Use.MASK_PAIR, Field.A, Use.MASK),
    /// With NEGATE: is not NULL.
    BOOL_IS_NULL,
    BOOL_IS_TRUE,
    BOOL_IS_FALSE,
    /// Whether two truths are one; with NEGATE: whether they differ.
    BOOL_EQUAL(Field.K, Use.MASK_PAIR),
    /// Whether the value in hand is NULL; with NEGATE: is not.
    VALUE_IS_NULL,
    /// The value in hand and operand `b`.
    EQUAL(Field.B, Use.OPERAND),
    LESS(Field.B, Use.OPERAND),
    LESS_EQUAL(Field.B, Use.OPERAND),
    /// From constant `a` to constant `b`.
    RANGE(Field.A, Use.CONSTANT, Field.B, Use.CONSTANT),
    /// Whether the table has a bit for the value.
    TEST_BITS(Field.K, Use.BITS),
    VALUE_LOAD(Field.B, Use.OPERAND),
    VALUE_STORE(Field.B, Use.SLOT),
    VALUE_NULL,
    /// Constant `a` where the value in hand is NULL.
    VALUE_OR(Field.A, Use.CONSTANT),
    /// The truth of a column of bits.
    LOAD_BOOL(Field.K, Use.COLUMN_BITS),
    LOAD_U8(Field.K, Use.COLUMN_8),
    LOAD_U16(Field.K, Use.COLUMN_16),
    /// Signed; with IMMEDIATE constant `a` is added. (LOAD_I32: in wide lanes alone.)
    LOAD_I16(Field.K, Use.COLUMN_16, Field.A, Use.BASE),
    LOAD_I32(Field.K, Use.COLUMN_32, Field.A, Use.BASE),
    LOAD_I64(Field.K, Use.COLUMN_64),
    LOAD_I8(Field.K, Use.COLUMN_8, Field.A, Use.BASE),
    LOAD_I24(Field.K, Use.COLUMN_24, Field.A, Use.BASE),
    /// Operand `b` in the rows of mask slot `a`, the value in hand elsewhere.
    SELECT(Field.B, Use.OPERAND, Field.A, Use.MASK),
    /// Arithmetic at the width of a lane; an error beyond it.
    ADD(Field.B, Use.OPERAND),
    SUBTRACT(Field.B, Use.OPERAND),
    /// Operand `b` less the value in hand.
    SUBTRACT_FROM(Field.B, Use.OPERAND),
    MULTIPLY(Field.B, Use.OPERAND),
    DIVIDE(Field.B, Use.OPERAND),
    REMAINDER(Field.B, Use.OPERAND),
    /// By constant `a`, above 0, half away from zero.
    DIVIDE_ROUNDED(Field.A, Use.CONSTANT),
    NEGATE,
    ABSOLUTE,
    /// An error for values outside constants `a` to `b`.
    CHECK(Field.A, Use.CONSTANT, Field.B, Use.CONSTANT),
    CHECK_FINITE_DATE,
    /// The part of a date that `DateField` number `k` names.
    DATE_FIELD(Field.K, Use.NUMBER),
    /// Float64 arithmetic; with NEGATE the operand stands left.
    FLOAT_ADD(Field.B, Use.OPERAND),
    FLOAT_SUBTRACT(Field.B, Use.OPERAND),
    FLOAT_MULTIPLY(Field.B, Use.OPERAND),
    /// Of slot `a`, whose values are those in hand and change; by operand `b`.
    FLOAT_DIVIDE(Field.A, Use.SLOT, Field.B, Use.OPERAND),
    FLOAT_NEGATE,
    FLOAT_ABSOLUTE,
    /// Float64 as an integer of the same order.
    FLOAT_ORDER,
    /// Float32 likewise.
    FLOAT32_ORDER,
    /// An integer as float64.
    TO_FLOAT,
    /// The table's entry of the value, and as truth whether there is one.
    PROBE_DENSE(Field.K, Use.DENSE),
    PROBE_HASH(Field.K, Use.HASH),
    /// Values are present where the truth is true.
    TAKE_FOUND,
    /// The array's element at the value.
    GATHER_I32(Field.K, Use.DENSE),
    GATHER_I64(Field.K, Use.ARRAY_64),
    /// Values stay present where the bits at them say so.
    GATHER_VALID(Field.K, Use.BITS),
    /// Slot `a` becomes its values' places in a table of groups, which takes those that are new; nothing is in
    /// hand then.
    GROUP_FIND(Field.K, Use.GROUPS, Field.A, Use.SLOT),
    /// LOAD_I32, RANGE and FILTER_TRUE, then with IMMEDIATE constant `c` is added; of columns without NULLs, as the
    /// next two are.
    LOAD_RANGE_I32(Use.COLUMN_32),
    /// LOAD_I32, TEST_BITS with table `a`, and FILTER_TRUE.
    LOAD_TEST_I32(Field.K, Use.COLUMN_32, Field.A, Use.BITS),
    /// LOAD_I32, PROBE_DENSE with table `a`, and FILTER_TRUE.
    LOAD_PROBE_I32(Field.K, Use.COLUMN_32, Field.A, Use.DENSE),
    /// The same of narrower columns.
    LOAD_RANGE_I8(Use.COLUMN_8),
    LOAD_RANGE_I16(Use.COLUMN_16),
    LOAD_RANGE_I24(Use.COLUMN_24),
    LOAD_TEST_I8(Field.K, Use.COLUMN_8, Field.A, Use.BITS),
    LOAD_TEST_I16(Field.K, Use.COLUMN_16, Field.A, Use.BITS),
    LOAD_TEST_I24(Field.K, Use.COLUMN_24, Field.A, Use.BITS),
    LOAD_PROBE_I8(Field.K, Use.COLUMN_8, Field.A, Use.DENSE),
    LOAD_PROBE_I16(Field.K, Use.COLUMN_16, Field.A, Use.DENSE),
    LOAD_PROBE_I24(Field.K, Use.COLUMN_24, Field.A, Use.DENSE),
    /// Rows; with VALID those whose value in hand is present.
    OWN_COUNT(Field.A, Use.WORD),
    /// Rows that are true, and in the next word those that are false.
    OWN_COUNT_TRUTH(Field.A, Use.WORD_PAIR),
    /// With `k` = 1 rows are counted too, in word 0.
    OWN_SUM(Field.A, Use.WORD, Field.K, Use.NUMBER),
    /// MULTIPLY and OWN_SUM.
    OWN_MULTIPLY_SUM(Field.A, Use.WORD, Field.B, Use.OPERAND, Field.K, Use.NUMBER),
    /// The lower 32 bits of values in one word, what is above them in the next.
    OWN_WIDE_SUM(Field.A, Use.WORD_PAIR),
    /// The greatest value; with NEGATE the least.
    OWN_BEST(Field.A, Use.WORD),
    /// All values' bits by OR; with NEGATE those of their complements; `k` = 1: by XOR.
    OWN_BITS(Field.A, Use.WORD, Field.K, Use.NUMBER),
    /// As OWN_..., in the cells of the group that slot `b` has.
    GROUP_COUNT(Field.A, Use.WORD, Field.B, Use.OPERAND),
    GROUP_COUNT_TRUTH(Field.A, Use.WORD_PAIR, Field.B, Use.OPERAND),
    GROUP_SUM(Field.A, Use.WORD, Field.B, Use.OPERAND),
    /// GROUP_SUM, and a count of the rows in word 0.
    GROUP_SUM_COUNT(Field.A, Use.WORD, Field.B, Use.OPERAND),
    GROUP_WIDE_SUM(Field.A, Use.WORD_PAIR, Field.B, Use.OPERAND),
    GROUP_BEST(Field.A, Use.WORD, Field.B, Use.OPERAND),
    GROUP_BITS(Field.A, Use.WORD, Field.B, Use.OPERAND, Field.K, Use.NUMBER),
    /// The current rows become bits of column `k`, and their number the tile's cell.
    KEEP_ROWS(Field.K, Use.COLUMN_BITS),
    /// Slot `b` becomes how many rows come through before each, less constant `a`, where the cells say how many do
    /// before the tile; only rows below constant `k` stay current.
    ROW_PLACE(Field.K, Use.CONSTANT, Field.A, Use.CONSTANT, Field.B, Use.SLOT),
    /// Slot `c`, whose values are those in hand, goes to column `k`, at the places of slot `b` below constant `a`.
    EMIT_8(Use.COLUMN_8, Use.SLOT),
    EMIT_16(Use.COLUMN_16, Use.SLOT),
    EMIT_32(Use.COLUMN_32, Use.SLOT),
    EMIT_64(Use.COLUMN_64, Use.SLOT),
    /// The row's number in the launch.
    EMIT_ROW(Use.COLUMN_32, Use.NUMBER),
    /// The truth, as a byte.
    EMIT_TRUTH(Use.COLUMN_8, Use.NUMBER),
    /// Of the rows of mask slot `c`: those whose build row in slot `b` has a next one of the same key, by table `k`.
    /// Where there are any, slot `b` becomes that and the program goes on at instruction `a`, which stands before.
    NEXT_MATCH(Field.K, Use.DENSE, Field.A, Use.CODE, Field.B, Use.SLOT),
    /// Splits the current rows by the group that slot `b` has, for those that follow: into the mask slots from `c` on.
    BLOCK_SPLIT(Field.B, Use.OPERAND, Field.C, Use.SPLIT),
    /// As GROUP_..., in the cells that the block has, of rows that are split in the mask slots from `c` on; with SKIP
    /// of all of them.
    BLOCK_COUNT(Field.A, Use.WORD, Field.B, Use.OPERAND, Field.C, Use.SPLIT),
    BLOCK_COUNT_TRUTH(Field.A, Use.WORD_PAIR, Field.B, Use.OPERAND, Field.C, Use.SPLIT),
    BLOCK_SUM(Field.A, Use.WORD, Field.B, Use.OPERAND, Field.C, Use.SPLIT),
    /// One number of two words, which [VmProgram.Block#pairs] says.
    BLOCK_WIDE_SUM(Field.A, Use.WORD_PAIR, Field.B, Use.OPERAND, Field.C, Use.SPLIT),
    /// Of rows as they are: no split.
    BLOCK_BEST(Field.A, Use.WORD, Field.B, Use.OPERAND),
    BLOCK_BITS(Field.A, Use.WORD, Field.B, Use.OPERAND, Field.K, Use.NUMBER),
    /// From here on opcodes of the full interpreter alone, all over lanes of 64 bits ([#isFull]).
    ///
    /// Float32 as float64.
    FLOAT_WIDEN,
    /// Float64 as an integer that orders -0 below 0.
    FLOAT_RANK,
    /// What the product of slot `a`, whose values are those in hand and change, and operand `b` leaves beside the
    /// nearest float64.
    FLOAT_REST(Field.A, Use.SLOT, Field.B, Use.OPERAND),
    /// Slot `a`, whose values are those in hand, becomes numbers of these values, below the table's size + 2.
    GROUP_KEY(Field.K, Use.GROUPS, Field.A, Use.SLOT),
    /// The exact sum of slot `c`, whose values were those in hand, for the group that slot `b` has; with a constant
    /// the groups are parts of one. Nothing is in hand then.
    FLOAT_SUM(Field.A, Use.FLOAT_WORDS, Field.B, Use.OPERAND, Field.C, Use.SLOT),
    /// HyperLogLog: 2^`k` registers from word `a` on; as FLOAT_SUM otherwise. With NEGATE values are
    /// hashes, with VALID decimals.
    HLL_ADD(Field.A, Use.HLL_WORDS, Field.B, Use.OPERAND, Field.C, Use.SLOT),
    /// Whether text of column `k` is one of texts `a`, which ascend by length and then by bytes; nothing is in hand
    /// then, as after the next four.
    TEXT_EQUAL(Field.K, Use.COLUMN_TEXT, Field.A, Use.TEXTS),
    /// Whether it stands before the first of texts `a`, by bytes.
    TEXT_LESS(Field.K, Use.COLUMN_TEXT, Field.A, Use.TEXTS),
    TEXT_LESS_EQUAL(Field.K, Use.COLUMN_TEXT, Field.A, Use.TEXTS),
    /// Whether it begins with the first of texts `a`, ends with the last, and has the others between, in order.
    TEXT_LIKE(Field.K, Use.COLUMN_TEXT, Field.A, Use.TEXTS),
    /// Whether the first of texts `a` matches as a pattern: byte 0xFE is any run, 0xFF any character. With VALID
    /// case is ignored, and the pattern has small letters.
    TEXT_MATCH(Field.K, Use.COLUMN_TEXT, Field.A, Use.TEXTS),
    /// Characters of text, with NEGATE bytes, by way of slot `a`.
    TEXT_LENGTH(Field.K, Use.COLUMN_TEXT, Field.A, Use.SLOT),
    /// Zeros, where text is present.
    TEXT_PRESENT(Field.K, Use.COLUMN_TEXT);

    /// A field of an instruction.
    public enum Field {
        K,
        A,
        B,
        C
    }

    /// What the number in a field is.
    public enum Use {
        NUMBER,
        MASK,
        MASK_PAIR,
        /// So many mask slots as a split takes.
        SPLIT,
        CONSTANT,
        /// With IMMEDIATE a constant, otherwise nothing.
        BASE,
        SLOT,
        /// A slot, or with IMMEDIATE a constant.
        OPERAND,
        COLUMN_BITS,
        COLUMN_8,
        COLUMN_16,
        COLUMN_24,
        COLUMN_32,
        COLUMN_64,
        COLUMN_TEXT,
        BITS,
        DENSE,
        HASH,
        ARRAY_64,
        GROUPS,
        TEXTS,
        CODE,
        WORD,
        WORD_PAIR,
        FLOAT_WORDS,
        /// As many as 2^`k` bytes need.
        HLL_WORDS
    }

    private final Map<Field, Use> fields;

    VmOpcode() {
        this.fields = Map.of();
    }

    VmOpcode(Field field, Use use) {
        this.fields = Map.of(field, use);
    }

    /// What loads a column and leaves the rows from constant `a` to constant `b`.
    VmOpcode(Use column) {
        this.fields = Map.of(Field.K, column, Field.A, Use.CONSTANT, Field.B, Use.CONSTANT, Field.C, Use.BASE);
    }

    VmOpcode(Field field, Use use, Field second, Use secondUse) {
        this.fields = Map.of(field, use, second, secondUse);
    }

    VmOpcode(Field field, Use use, Field second, Use secondUse, Field third, Use thirdUse) {
        this.fields = Map.of(field, use, second, secondUse, third, thirdUse);
    }

    /// What writes a column.
    VmOpcode(Use column, Use values) {
        this.fields = Map.of(Field.K, column, Field.A, Use.CONSTANT, Field.B, Use.SLOT, Field.C, values);
    }

    /// The fields that mean something, and what; a mask in `c` is not among them.
    public Map<Field, Use> fields() {
        return fields;
    }

    /// Whether only the full interpreter has it.
    public boolean isFull() {
        return ordinal() >= FLOAT_WIDEN.ordinal();
    }

    /// `opcodes.inc`.
    public static String header() {
        StringBuilder text =
                new StringBuilder("// Made of Java's VmOpcode; VmOpcodeTest compares, -Dupdate=true rewrites.\n");
        for (VmOpcode opcode : values()) {
            text.append("QUARREL_OPCODE(")
                    .append(opcode.name())
                    .append(", ")
                    .append(opcode.ordinal())
                    .append(")\n");
        }
        return text.toString();
    }
}
