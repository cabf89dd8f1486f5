package dev.quarrel.cli.imports.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.csv.TypeGuess;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/// Finds the type of all values that stand in one place of rows: a struct of objects, a list of arrays, and of others
/// bigint, double precision, boolean, or text, of which all may be dates, timestamps or UUIDs. Numbers, truth values
/// and texts together are texts; arrays or objects with others are JSON as it is written, and so are objects without
/// members and those of more than 200, whose names are values rather.
final class JsonGuess {
    private static final int MAX_MEMBERS = 200;
    private static final int MAX_DEPTH = 64;

    private final int depth;
    private boolean hasBools;
    private boolean hasNumbers;
    private boolean hasFractions;
    private TypeGuess texts; // null before the first
    private JsonGuess elements; // null before the first array
    private SequencedMap<String, JsonGuess> members; // null before the first object

    JsonGuess() {
        this(0);
    }

    private JsonGuess(int depth) {
        this.depth = depth;
    }

    void add(JsonNode value) {
        switch (value.getNodeType()) {
            case BOOLEAN -> hasBools = true;
            case NUMBER -> {
                hasNumbers = true;
                hasFractions |= !value.isIntegralNumber() || !value.canConvertToLong();
            }
            case STRING -> {
                if (texts == null) {
                    texts = TypeGuess.ofTexts();
                }
                texts.add(value.textValue(), true);
            }
            case ARRAY -> {
                if (elements == null) {
                    elements = new JsonGuess(depth + 1);
                }
                if (depth < MAX_DEPTH) {
                    value.forEach(elements::add);
                }
            }
            case OBJECT -> {
                if (members == null) {
                    members = new LinkedHashMap<>();
                }
                if (depth == 0 || depth < MAX_DEPTH && members.size() <= MAX_MEMBERS) {
                    for (Map.Entry<String, JsonNode> member : value.properties()) {
                        members.computeIfAbsent(member.getKey(), _ -> new JsonGuess(depth + 1))
                                .add(member.getValue());
                    }
                }
            }
            default -> {
                // NULL is of every type.
            }
        }
    }

    /// The members of objects, of which there was one at least.
    SequencedMap<String, JsonGuess> members() {
        return members;
    }

    /// A leaf for what is no list and no struct; one of JSON for what is written as it is.
    ///
    /// @param known what the table has here, which holds where the values leave it open; or null
    NestedType type(NestedType known) {
        boolean hasScalars = hasBools || hasNumbers || texts != null;
        boolean isOpen = !hasScalars && elements == null && members == null;
        if (known != null && (isOpen || JSON.equals(known))) {
            return known;
        }
        if (hasScalars ? elements != null || members != null : elements != null && members != null) {
            return JSON;
        }
        if (elements != null) {
            NestedType element = known instanceof NestedType.Array(NestedType of, int one) && one == 1 ? of : null;
            return depth >= MAX_DEPTH ? JSON : new NestedType.Array(elements.type(element), 1);
        }
        if (members != null) {
            boolean isStruct = !members.isEmpty() && members.size() <= MAX_MEMBERS && depth < MAX_DEPTH;
            return isStruct ? struct(known instanceof NestedType.Composite structs ? structs : null) : JSON;
        }
        boolean isOneKind = (hasBools ? 1 : 0) + (hasNumbers ? 1 : 0) + (texts == null ? 0 : 1) == 1;
        PgType type = PgType.TEXT;
        if (isOneKind && texts != null) {
            type = texts.type();
        } else if (isOneKind) {
            type = hasBools ? PgType.BOOL : hasFractions ? PgType.FLOAT8 : PgType.INT8;
        }
        NestedType.Leaf found = new NestedType.Leaf(type, type.dataType());
        return known instanceof NestedType.Leaf(PgType held, DataType _) && isWider(held, type) ? known : found;
    }

    private NestedType struct(NestedType.Composite known) {
        return new NestedType.Composite(members.entrySet().stream()
                .map(member -> new NestedType.Member(
                        member.getKey(), member.getValue().type(known == null ? null : known.member(member.getKey()))))
                .toList());
    }

    /// Whether the values of one type are written as values of the other.
    private static boolean isWider(PgType wide, PgType type) {
        return switch (wide) {
            case TEXT -> true;
            case FLOAT8 -> type == PgType.INT8;
            case TIMESTAMP -> type == PgType.DATE;
            default -> false;
        };
    }

    static final NestedType.Leaf JSON = new NestedType.Leaf(PgType.JSON, PgType.JSON.dataType());
}
