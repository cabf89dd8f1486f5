package dev.quarrel.core.cpu.text;

import dev.quarrel.core.cpu.tile.Vector;

/// The function of one row that reads text.
public interface TextKernel {
    /// Puts the result into row `row` of `out`, whose NULLs are known already: none of the arguments is NULL.
    void compute(Arguments in, Vector out, int row);

    /// The arguments' values in the current row.
    final class Arguments {
        public final TextReader[] texts;
        public final long[] numbers;

        public Arguments(int count) {
            texts = new TextReader[count];
            numbers = new long[count];
            for (int argument = 0; argument < count; argument++) {
                texts[argument] = new TextReader();
            }
        }

        public TextReader text(int argument) {
            return texts[argument];
        }

        /// An int32.
        int number(int argument) {
            return (int) numbers[argument];
        }

        /// An int64.
        public long longNumber(int argument) {
            return numbers[argument];
        }
    }
}
