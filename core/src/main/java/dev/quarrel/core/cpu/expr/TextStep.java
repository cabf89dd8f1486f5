package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.text.TextKernel;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import java.util.List;

/// An instruction that reads text: runs a kernel once a row, or, where its one argument that varies is a column of
/// codes, once a dictionary entry.
final class TextStep implements Step {
    /// Bytes of arguments between two looks whether the query is still wanted.
    private static final int WORK_BETWEEN_CHECKS = 1 << 22;
    /// A dictionary larger than this is not worth remembering results for.
    private static final int MAX_ENTRIES = 1 << 20;
    /// A dictionary up to this size is gone through before the first row.
    private static final int MAX_EAGER_ENTRIES = 1 << 12;

    private final TextKernel kernel;
    private final int[] registers;
    private final int result;
    private final TextKernel.Arguments in;
    private final Vector[] vectors;
    private Dictionary dictionary;
    private Vector known;
    private long[] isKnown;
    /// Entries not computed yet.
    private int unknown;
    /// For Bool results, once all are known: the answers by entry, and the one entry that is true if there is just
    /// one.
    private byte[] answers;
    private int onlyEntry;

    TextStep(List<Integer> arguments, int result, TextKernel kernel) {
        this.kernel = kernel;
        this.registers = arguments.stream().mapToInt(Integer::intValue).toArray();
        this.result = result;
        this.in = new TextKernel.Arguments(registers.length);
        this.vectors = new Vector[registers.length];
    }

    @Override
    public void run(TileProgram tile, Mask rows) {
        if (rows.isEmpty()) {
            return;
        }
        Vector out = tile.value(result);
        int words = rows.wordCount();
        int varying = -1;
        int varyingCount = 0;
        for (int argument = 0; argument < registers.length; argument++) {
            Vector vector = tile.value(registers[argument]);
            vectors[argument] = vector;
            if (!vector.isConstant()) {
                varying = argument;
                varyingCount++;
            }
        }
        switch (vectors.length) {
            case 1 -> out.copyValidity(vectors[0], words);
            case 2 -> out.intersectValidity(vectors[0], vectors[1], words);
            default -> out.intersectValidity(vectors[0], vectors[1], vectors[2], words);
        }
        if (varyingCount == 1
                && vectors[varying] instanceof TextVector codes
                && codes.dictionary() != null
                && codes.dictionary().size() <= MAX_ENTRIES) {
            runEntries(codes, varying, out, rows);
        } else {
            runRows(out, rows);
        }
    }

    private void runRows(Vector out, Mask rows) {
        if (out instanceof TextVector texts) {
            texts.startBuffer();
        }
        bind(rows, -1);
        int[] indexes = rows.indexes();
        int count = rows.count();
        long work = 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (out.isPresent(row)) {
                for (int argument = 0; argument < vectors.length; argument++) {
                    switch (vectors[argument]) {
                        case TextVector _ -> in.texts[argument].read(row);
                        case IntVector numbers -> in.numbers[argument] = numbers.values()[row];
                        case LongVector numbers -> in.numbers[argument] = numbers.values()[row];
                        default -> throw new IllegalStateException(vectors[argument].type() + " beside text");
                    }
                }
                kernel.compute(in, out, row);
                work += textBytes();
                if (work > WORK_BETWEEN_CHECKS) {
                    work = 0;
                    Cancellation.checkCurrent();
                }
            }
        }
    }

    private long textBytes() {
        long bytes = 0;
        for (TextReader text : in.texts) {
            bytes += text.length;
        }
        return bytes;
    }

    private void bind(Mask rows, int except) {
        for (int argument = 0; argument < vectors.length; argument++) {
            if (argument != except) {
                switch (vectors[argument]) {
                    case TextVector texts -> in.texts[argument].bind(texts, rows);
                    case IntVector numbers -> in.numbers[argument] = numbers.values()[0];
                    case LongVector numbers -> in.numbers[argument] = numbers.values()[0];
                    default -> throw new IllegalStateException(vectors[argument].type() + " beside text");
                }
            }
        }
    }

    private void runEntries(TextVector codes, int varying, Vector out, Mask rows) {
        bind(rows, varying);
        if (dictionary != codes.dictionary()) {
            startEntries(codes.dictionary(), out, varying);
        }
        if (unknown > 0) {
            learn(codes.codes(), varying, out, rows);
        }
        if (answers == null || !(out instanceof BoolVector bools)) {
            out.gatherSelected(known, codes.codes(), rows);
        } else if (rows.isSparse()) {
            sparseAnswers(codes.codes(), bools, rows);
        } else if (onlyEntry >= 0) {
            CompareKernels.current().equal(codes.codes(), onlyEntry, bools.bits(), rows.wordCount(), 0);
        } else {
            denseAnswers(codes.codes(), bools, rows);
        }
    }

    private void sparseAnswers(int[] codes, BoolVector out, Mask rows) {
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (out.isPresent(row)) {
                Bits.set(out.bits(), row, answers[codes[row]] != 0);
            }
        }
    }

    private void denseAnswers(int[] codes, BoolVector out, Mask rows) {
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            long wanted = rows.bits()[word] & (out.validity() == null ? -1L : out.validity()[word]);
            long bits = 0;
            if (wanted == -1L) {
                for (int bit = 0; bit < 64; bit += 8) {
                    int at = (word << 6) + bit;
                    int eight = answers[codes[at]]
                            | answers[codes[at + 1]] << 1
                            | answers[codes[at + 2]] << 2
                            | answers[codes[at + 3]] << 3
                            | answers[codes[at + 4]] << 4
                            | answers[codes[at + 5]] << 5
                            | answers[codes[at + 6]] << 6
                            | answers[codes[at + 7]] << 7;
                    bits |= (long) eight << bit;
                }
            } else {
                for (long rest = wanted; rest != 0; rest &= rest - 1) {
                    int bit = Long.numberOfTrailingZeros(rest);
                    bits |= (long) answers[codes[(word << 6) + bit]] << bit;
                }
            }
            out.bits()[word] = bits;
        }
    }

    private void startEntries(Dictionary newDictionary, Vector out, int varying) {
        dictionary = newDictionary;
        int size = dictionary.size();
        known = Vector.of(out.type(), size);
        isKnown = new long[Bits.words(size)];
        unknown = size;
        answers = null;
        if (known instanceof TextVector texts) {
            texts.startBuffer();
        }
        if (size <= MAX_EAGER_ENTRIES && constantsArePresent(varying)) {
            learnAll(varying);
        }
    }

    private boolean constantsArePresent(int varying) {
        for (int argument = 0; argument < vectors.length; argument++) {
            if (argument != varying && !vectors[argument].isPresent(0)) {
                return false;
            }
        }
        return true;
    }

    /// Computes all entries ahead; if one of them fails, each waits for a row that has it.
    private void learnAll(int varying) {
        try {
            for (int entry = 0; entry < dictionary.size(); entry++) {
                in.texts[varying].readEntry(dictionary.values(), entry);
                kernel.compute(in, known, entry);
                Bits.set(isKnown, entry, true);
                unknown--;
            }
        } catch (QueryException _) {
            return;
        }
        endEntries();
    }

    private void endEntries() {
        if (known instanceof BoolVector bools) {
            answers = new byte[dictionary.size()];
            int count = 0;
            for (int entry = 0; entry < answers.length; entry++) {
                if (bools.get(entry)) {
                    answers[entry] = 1;
                    onlyEntry = entry;
                    count++;
                }
            }
            onlyEntry = count == 1 ? onlyEntry : -1;
        }
    }

    /// Computes the entries that present rows have and that no row before had.
    private void learn(int[] codes, int varying, Vector out, Mask rows) {
        Utf8Column entries = dictionary.values();
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (out.isPresent(row) && !Bits.get(isKnown, codes[row])) {
                in.texts[varying].readEntry(entries, codes[row]);
                kernel.compute(in, known, codes[row]);
                Bits.set(isKnown, codes[row], true);
                unknown--;
            }
        }
        if (unknown == 0) {
            endEntries();
        }
    }
}
