package dev.quarrel.core.cpu.text;

import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.TextBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The functions of arrays, which are held as text, for one row at a time.
///
/// - Source: PostgreSQL's `arrayfuncs.c` and `varlena.c` (array_to_text).
public final class ArrayFunctions {
    private ArrayFunctions() {}

    public static final class Cardinality implements RowFunction {
        private final ArrayElements elements = new ArrayElements();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            elements.open(in.text(0));
            int count = 0;
            while (elements.next()) {
                count++;
            }
            ((IntVector) out).values()[row] = count;
        }
    }

    public static final class Has implements RowFunction {
        private final ArrayElements elements = new ArrayElements();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            elements.open(in.text(0));
            Bits.set(((BoolVector) out).bits(), row, elements.find(in.int32(1)) && !elements.isNull);
        }
    }

    public static final class Item implements RowFunction {
        private final ArrayElements elements = new ArrayElements();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader array = in.text(0);
            elements.open(array);
            if (elements.find(in.int32(1)) && !elements.isNull) {
                ((TextVector) out).append(row, elements.bytes, elements.start, elements.length);
            } else {
                ((TextVector) out).append(row, array.bytes, array.start, 0);
            }
        }
    }

    public static final class Contains implements RowFunction {
        private final ArrayElements elements = new ArrayElements();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader wanted = in.text(1);
            elements.open(in.text(0));
            boolean isFound = false;
            while (!isFound && elements.next()) {
                isFound = !elements.isNull
                        && Arrays.equals(
                                elements.bytes,
                                elements.start,
                                elements.start + elements.length,
                                wanted.bytes,
                                wanted.start,
                                wanted.end());
            }
            Bits.set(((BoolVector) out).bits(), row, isFound);
        }
    }

    public static final class HasNull implements RowFunction {
        private final ArrayElements elements = new ArrayElements();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            elements.open(in.text(0));
            boolean isFound = false;
            while (!isFound && elements.next()) {
                isFound = elements.isNull;
            }
            Bits.set(((BoolVector) out).bits(), row, isFound);
        }
    }

    /// The function `array_to_string`, with a text for NULL as argument 2, or without.
    public static final class Join implements RowFunction {
        private final ArrayElements elements = new ArrayElements();
        private final TextBuffer text = new TextBuffer();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader separator = in.text(1);
            TextReader ofNull = in.count() > 2 ? in.text(2) : null;
            elements.open(in.text(0));
            text.clear();
            boolean isFirst = true;
            while (elements.next()) {
                if (elements.isNull && ofNull == null) {
                    continue;
                }
                if (!isFirst) {
                    append(separator.bytes, separator.start, separator.length);
                }
                isFirst = false;
                if (elements.isNull) {
                    append(ofNull.bytes, ofNull.start, ofNull.length);
                } else {
                    append(elements.bytes, elements.start, elements.length);
                }
            }
            ((TextVector) out).append(row, text.array(), 0, text.length());
        }

        private void append(byte[] bytes, int start, int length) {
            text.append(MemorySegment.ofArray(bytes), start, length);
        }
    }
}
