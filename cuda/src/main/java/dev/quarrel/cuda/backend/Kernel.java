package dev.quarrel.cuda.backend;

import dev.quarrel.cuda.vm.VmProgram;

/// The entry points of the kernels.
public enum Kernel {
    /// The interpreter over lanes of 32 bits.
    VM_I32("vm_i32", 4),
    /// The interpreter over lanes of 64 bits.
    VM_I64("vm_i64", 8),
    /// The same two where blocks have cells of groups.
    VM_BLOCK_I32("vm_block_i32", 4),
    VM_BLOCK_I64("vm_block_i64", 8),
    /// The interpreter over lanes of 64 bits that has all other opcodes.
    VM_FULL("vm_full", 8),
    /// Counts become the sums of those before them.
    SCAN_CELLS("scan_cells", 0),
    /// Bytes become bits.
    PACK_BITS("pack_bits", 0),
    /// What is known of sort keys.
    SORT_RANGES("sort_ranges"),
    /// Sort keys become words, of 32 bits or 64.
    SORT_WORDS_32("sort_words_32"),
    SORT_WORDS_64("sort_words_64"),
    /// Digits of such words are counted.
    SORT_COUNT_32("sort_count_32"),
    SORT_COUNT_64("sort_count_64"),
    /// Words and rows go where their digits go.
    SORT_SCATTER_32("sort_scatter_32"),
    SORT_SCATTER_64("sort_scatter_64"),
    /// Columns are brought into the order of rows.
    SORT_GATHER("sort_gather");

    /// The fatbin of the interpreters.
    static final String VM = "vm";
    /// The fatbin of the sort.
    public static final String SORT = "sort";

    private final String symbol;
    private final String fatbin;
    private final int laneBytes;

    Kernel(String symbol, int laneBytes) {
        this.symbol = symbol;
        this.fatbin = VM;
        this.laneBytes = laneBytes;
    }

    Kernel(String symbol) {
        this.symbol = symbol;
        this.fatbin = SORT;
        this.laneBytes = 0;
    }

    /// The fatbin that it is in.
    public String fatbin() {
        return fatbin;
    }

    /// The function's name, without mangling.
    public String symbol() {
        return symbol;
    }

    /// Bytes of one value in the interpreter's hand; 0 for a kernel that is no interpreter.
    public int laneBytes() {
        return laneBytes;
    }

    /// The interpreter for a program.
    public static Kernel vm(VmProgram program) {
        if (program.isFull()) {
            return VM_FULL;
        }
        if (program.block().words() > 0) {
            return program.laneBytes() == VM_BLOCK_I32.laneBytes ? VM_BLOCK_I32 : VM_BLOCK_I64;
        }
        return program.laneBytes() == VM_I32.laneBytes ? VM_I32 : VM_I64;
    }
}
