package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.function.BatchFunction;
import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import java.util.Arrays;
import java.util.List;

/// An instruction that calls a function row by row, or, where its one argument that varies is a column of codes, once
/// a dictionary entry.
final class FunctionStep implements Step {
    /// A dictionary larger than this is not worth remembering results for.
    private static final int MAX_ENTRIES = 1 << 20;
    /// A dictionary up to this size is gone through before the first row.
    private static final int MAX_EAGER_ENTRIES = 1 << 12;

    /// Results of a dictionary up to this size are copied, so that functions of them are computed once an entry.
    private static final int MAX_TOLD_ENTRIES = 1 << 16;

    private static final int MAX_TOLD_BYTES = 1 << 22;

    private final BatchFunction function;
    private final boolean isStrict;
    private final int[] registers;
    private final int result;
    private final Arguments in;
    private int[] scratch = new int[0];
    private Dictionary dictionary;
    private Vector known;
    private long[] isKnown;
    /// Entries not computed yet.
    private int unknown;
    /// For Bool results, once all are known: the answers by entry, and the one entry that is true if there is just
    /// one.
    private byte[] answers;
    private int onlyEntry;
    /// For texts, once all are known: the results, as entries in their turn.
    private Dictionary results;

    FunctionStep(List<Integer> arguments, int result, RowFunction function) {
        this(arguments, result, true, BatchFunction.eachRow(function));
    }

    /// @param isStrict whether the result is NULL wherever an argument is
    FunctionStep(List<Integer> arguments, int result, boolean isStrict, BatchFunction function) {
        this.function = function;
        this.isStrict = isStrict;
        this.registers = arguments.stream().mapToInt(Integer::intValue).toArray();
        this.result = result;
        this.in = new Arguments(registers.length, isStrict);
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
        out.setAllPresent();
        for (int argument = 0; argument < registers.length; argument++) {
            Vector vector = tile.value(registers[argument]);
            in.set(argument, vector);
            if (isStrict) {
                out.keepPresent(vector, words);
            }
            if (!vector.isConstant()) {
                varying = argument;
                varyingCount++;
            }
        }
        if (varyingCount == 1
                && !function.readsVectors()
                && in.vector(varying) instanceof TextVector codes
                && codes.entries() != null
                && codes.entries().size() <= MAX_ENTRIES
                && (isStrict || codes.validity() == null)) {
            runEntries(codes, varying, out, rows);
        } else {
            runRows(out, rows);
        }
    }

    private void runRows(Vector out, Mask rows) {
        if (out instanceof TextVector texts) {
            texts.startBuffer();
        }
        boolean isAll = out.validity() == null;
        int count = isAll ? rows.count() : presentRows(out, rows);
        int[] indexes = isAll ? rows.indexes() : scratch;
        if (function.readsVectors()) {
            in.overVectors(indexes, count);
        } else {
            in.overRows(rows, indexes, count);
        }
        function.compute(in, out);
    }

    private int presentRows(Vector out, Mask rows) {
        ensureScratch(rows.count());
        int[] indexes = rows.indexes();
        int count = rows.count();
        int present = 0;
        for (int index = 0; index < count; index++) {
            scratch[present] = indexes[index];
            present += out.isPresent(indexes[index]) ? 1 : 0;
        }
        return present;
    }

    private void ensureScratch(int rows) {
        if (scratch.length < rows) {
            scratch = new int[rows];
        }
    }

    private void runEntries(TextVector codes, int varying, Vector out, Mask rows) {
        in.overEntries(rows, varying, codes.entries().values());
        if (dictionary != codes.entries()) {
            startEntries(codes.entries(), out, varying);
        }
        if (unknown > 0) {
            learn(codes.codes(), out, rows);
        }
        if (known.validity() != null) {
            clearAbsent(codes.codes(), out, rows);
        }
        if (out instanceof TextVector texts) {
            out.gatherSelected(known, codes.codes(), rows);
            tellEntries(codes, texts, rows);
        } else if (answers == null || !(out instanceof BoolVector bools)) {
            out.gatherSelected(known, codes.codes(), rows);
        } else if (rows.isSparse()) {
            sparseAnswers(codes.codes(), bools, rows);
        } else if (onlyEntry >= 0) {
            CompareKernels.current().equal(codes.codes(), onlyEntry, bools.bits(), rows.wordCount(), 0);
        } else {
            denseAnswers(codes.codes(), bools, rows);
        }
    }

    /// A function of the results is computed once an entry, too.
    private void tellEntries(TextVector codes, TextVector out, Mask rows) {
        if (results != null) {
            System.arraycopy(codes.codes(), 0, out.codes(), 0, rows.rowCount());
            out.setEntries(results);
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

    /// The function gave NULL for some entries: so it does for the rows that have them.
    private void clearAbsent(int[] codes, Vector out, Mask rows) {
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (out.isPresent(row) && !known.isPresent(codes[row])) {
                out.setAbsent(row);
            }
        }
    }

    private void startEntries(Dictionary newDictionary, Vector out, int varying) {
        dictionary = newDictionary;
        int size = dictionary.size();
        known = Vector.of(out.type(), size);
        isKnown = new long[Bits.words(size)];
        unknown = size;
        answers = null;
        results = null;
        if (known instanceof TextVector texts) {
            texts.startBuffer();
        }
        if (size <= MAX_EAGER_ENTRIES && (!isStrict || constantsArePresent(varying))) {
            learnAll();
        }
    }

    private boolean constantsArePresent(int varying) {
        for (int argument = 0; argument < registers.length; argument++) {
            if (argument != varying && !in.vector(argument).isPresent(0)) {
                return false;
            }
        }
        return true;
    }

    /// Computes all entries ahead; if one of them fails, it and those behind it wait for rows that have them.
    private void learnAll() {
        int size = dictionary.size();
        ensureScratch(size);
        Arrays.setAll(scratch, entry -> entry);
        in.start(scratch, size);
        int computed = size;
        try {
            function.compute(in, known);
        } catch (QueryException _) {
            computed = in.done();
        }
        for (int entry = 0; entry < computed; entry++) {
            Bits.set(isKnown, entry, true);
        }
        unknown -= computed;
        if (unknown == 0) {
            endEntries();
        }
    }

    private void endEntries() {
        int size = dictionary.size();
        if (known instanceof TextVector texts && known.validity() == null && size <= MAX_TOLD_ENTRIES) {
            Utf8Column copy = texts.toColumn(size, MAX_TOLD_BYTES);
            results = copy == null ? null : new Dictionary(copy);
        }
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
    private void learn(int[] codes, Vector out, Mask rows) {
        ensureScratch(rows.count());
        int[] indexes = rows.indexes();
        int count = rows.count();
        int fresh = 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (out.isPresent(row) && !Bits.get(isKnown, codes[row])) {
                scratch[fresh++] = codes[row];
                Bits.set(isKnown, codes[row], true);
            }
        }
        in.start(scratch, fresh);
        try {
            function.compute(in, known);
        } catch (QueryException failure) {
            dictionary = null;
            throw failure;
        }
        unknown -= fresh;
        if (unknown == 0) {
            endEntries();
        }
    }
}
