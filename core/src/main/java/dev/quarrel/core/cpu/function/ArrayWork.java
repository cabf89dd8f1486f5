package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import java.util.Map;
import java.util.function.Function;

/// What a function of arrays needs from row to row: readers of its arguments, and a writer of its result.
///
/// - Threads: belongs to one kernel.
final class ArrayWork {
    final ElementForm form;
    final ArrayElements array = new ArrayElements();
    final ArrayElements other = new ArrayElements();
    final ArrayBuilder builder = new ArrayBuilder();
    final TextBuffer text = new TextBuffer();
    final TextBuffer key = new TextBuffer();

    ArrayWork(PgType element) {
        this.form = new ElementForm(element);
    }

    /// A function of arrays, for one row.
    @FunctionalInterface
    interface Kernel {
        void compute(ArrayWork work, Arguments in, Vector out, int row);
    }

    /// Registers a function that is the same for elements of every type.
    static void put(Map<String, Function<PgType, BatchFunction>> kernels, String id, Kernel kernel) {
        kernels.put(id, element -> {
            ArrayWork work = new ArrayWork(element);
            return BatchFunction.eachRow((in, out, row) -> kernel.compute(work, in, out, row));
        });
    }

    /// The text of an argument of the element type; null for NULL. It is valid until the next.
    TextBuffer text(Arguments in, int argument) {
        if (in.isNull(argument)) {
            return null;
        }
        text.clear();
        form.appendText(in, argument, text);
        return text;
    }

    /// Adds an argument of the element type to the result.
    void add(Arguments in, int argument) {
        TextBuffer element = text(in, argument);
        if (element == null) {
            builder.addNull();
        } else {
            builder.add(element);
        }
    }

    /// Whether the element that `elements` stands at, not NULL, has the key.
    boolean hasKey(ArrayElements elements, TextBuffer wanted) {
        key.clear();
        form.appendKey(elements, key);
        return ElementForm.compare(key, wanted) == 0;
    }
}
