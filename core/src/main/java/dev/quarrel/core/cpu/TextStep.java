package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import java.util.List;

/// An instruction that reads text: runs a kernel once a row, or, where its one argument that varies is a column of
/// codes,
/// once a dictionary entry.
final class TextStep implements Step {
    /// A dictionary larger than this is not worth remembering results for.
    private static final int MAX_ENTRIES = 1 << 20;

    /// The arguments' values in the current row.
    static final class Arguments {
        final TextReader[] texts;
        final int[] numbers;

        Arguments(int count) {
            texts = new TextReader[count];
            numbers = new int[count];
        }

        TextReader text(int argument) {
            return texts[argument];
        }

        int number(int argument) {
            return numbers[argument];
        }
    }

    /// The function of one row.
    interface Kernel {
        /// Puts the result into row `row` of `out`.
        void compute(Arguments in, Vector out, int row);
    }

    private final Kernel kernel;
    private final int[] registers;
    private final int result;
    private final Arguments in;
    private final Vector[] vectors;
    private Dictionary dictionary;
    private Vector known;
    private long[] isKnown;

    TextStep(List<Integer> arguments, int result, Kernel kernel) {
        this.kernel = kernel;
        this.registers = arguments.stream().mapToInt(Integer::intValue).toArray();
        this.result = result;
        this.in = new Arguments(registers.length);
        this.vectors = new Vector[registers.length];
        for (int argument = 0; argument < registers.length; argument++) {
            in.texts[argument] = new TextReader();
        }
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
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (out.isPresent(row)) {
                for (int argument = 0; argument < vectors.length; argument++) {
                    switch (vectors[argument]) {
                        case TextVector _ -> in.texts[argument].read(row);
                        case IntVector numbers -> in.numbers[argument] = numbers.values()[row];
                        default -> throw new IllegalStateException(vectors[argument].type() + " beside text");
                    }
                }
                kernel.compute(in, out, row);
            }
        }
    }

    private void bind(Mask rows, int except) {
        for (int argument = 0; argument < vectors.length; argument++) {
            if (argument != except) {
                switch (vectors[argument]) {
                    case TextVector texts -> in.texts[argument].bind(texts, rows);
                    case IntVector numbers -> in.numbers[argument] = numbers.values()[0];
                    default -> throw new IllegalStateException(vectors[argument].type() + " beside text");
                }
            }
        }
    }

    private void runEntries(TextVector codes, int varying, Vector out, Mask rows) {
        bind(rows, varying);
        if (dictionary != codes.dictionary()) {
            dictionary = codes.dictionary();
            known = Vector.of(out.type(), dictionary.size());
            isKnown = new long[Bits.words(dictionary.size())];
            if (known instanceof TextVector texts) {
                texts.startBuffer();
            }
        }
        learn(codes.codes(), varying, out, rows);
        out.gatherSelected(known, codes.codes(), rows);
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
            }
        }
    }
}
