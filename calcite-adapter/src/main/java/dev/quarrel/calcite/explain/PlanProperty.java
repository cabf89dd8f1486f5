package dev.quarrel.calcite.explain;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// What a plan's node says of itself: a line of the text, and one value or several of the other forms.
///
/// @param text of its line, which the label stands before; null for what is no line of the text
/// @param values strings, whole numbers, `BigDecimal`s, Booleans and lists of strings, by name
public record PlanProperty(String label, String text, SequencedMap<String, Object> values) {

    /// The same in all forms.
    public static PlanProperty of(String label, String text) {
        return new PlanProperty(label, text, named(label, text));
    }

    /// Several values, which a line has after one another.
    public static PlanProperty list(String label, List<String> items) {
        return new PlanProperty(label, String.join(", ", items), items.isEmpty() ? named() : named(label, items));
    }

    /// One of several lines with the same label.
    public static PlanProperty item(String label, String text) {
        return new PlanProperty(label, text, named(label, List.of(text)));
    }

    /// A line that stands for other values.
    public static PlanProperty line(String label, String text, SequencedMap<String, Object> values) {
        return new PlanProperty(label, text, values);
    }

    /// What the text leaves out.
    public static PlanProperty untold(String label, Object value) {
        return new PlanProperty(label, null, named(label, value));
    }

    /// Names and values, in turn.
    public static SequencedMap<String, Object> named(Object... namesAndValues) {
        SequencedMap<String, Object> values = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            values.put((String) namesAndValues[index], namesAndValues[index + 1]);
        }
        return values;
    }

    /// A time in milliseconds, as PostgreSQL writes it.
    public static BigDecimal millis(long nanos) {
        return BigDecimal.valueOf(nanos, 6).setScale(3, RoundingMode.HALF_EVEN);
    }
}
