package dev.quarrel.core.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// Where the objects and arrays of a jsonb begin in the bytes that PostgreSQL holds it in: the method keyvalue() of
/// paths tells objects apart by that.
///
/// - Source: PostgreSQL's `jsonb_util.c` (convertJsonbValue), `numeric.c` (make_result).
public final class BinaryLayout {
    private static final int WORD = 4;
    /// Digits of a numeric that PostgreSQL keeps in two bytes.
    private static final int GROUP = 4;

    private static final int MAX_SHORT_SCALE = 63;
    private static final int MAX_SHORT_WEIGHT = 63;
    private static final int MIN_SHORT_WEIGHT = -64;

    private final Map<JsonValue, Long> offsets = new IdentityHashMap<>();
    private long end;

    private BinaryLayout() {}

    public static BinaryLayout of(JsonValue root) {
        BinaryLayout layout = new BinaryLayout();
        layout.add(root);
        return layout;
    }

    /// The offset of an object or array of the document, that very one and none like it; null for one from elsewhere.
    public Long offset(JsonValue container) {
        return offsets.get(container);
    }

    private void add(JsonValue value) {
        switch (value) {
            case JsonValue.Members(SortedMap<String, JsonValue> members) -> {
                open(value, 2 * members.size());
                members.keySet().forEach(this::addText);
                members.values().forEach(this::add);
            }
            case JsonValue.Elements(List<JsonValue> elements) -> {
                open(value, elements.size());
                elements.forEach(this::add);
            }
            case JsonValue.Text(String text) -> addText(text);
            case JsonValue.Moment moment -> addText(moment.written());
            case JsonValue.Number(BigDecimal number) -> {
                align();
                end += size(number);
            }
            case JsonValue.Null _, JsonValue.Bool _ -> {}
        }
    }

    private void open(JsonValue container, int entries) {
        align();
        offsets.put(container, end);
        end += WORD + (long) WORD * entries;
    }

    private void addText(String text) {
        end += text.getBytes(StandardCharsets.UTF_8).length;
    }

    private void align() {
        end = Math.ceilDiv(end, WORD) * WORD;
    }

    /// Bytes of a numeric: its length, its header, and its digits in groups of four without zeros at either end.
    private static int size(BigDecimal number) {
        int scale = Math.max(number.scale(), 0);
        if (number.signum() == 0) {
            return WORD + (scale <= MAX_SHORT_SCALE ? 2 : 4);
        }
        BigDecimal digits = number.abs().stripTrailingZeros();
        // The power of 10000 of the first group, and of the last.
        int first = Math.floorDiv(digits.precision() - digits.scale() - 1, GROUP);
        int last = Math.floorDiv(-digits.scale(), GROUP);
        boolean isShort = scale <= MAX_SHORT_SCALE && first >= MIN_SHORT_WEIGHT && first <= MAX_SHORT_WEIGHT;
        return WORD + (isShort ? 2 : 4) + 2 * (first - last + 1);
    }
}
