package dev.quarrel.cli.imports.json;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.csv.TypeGuess;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;

/// Finds the type of all values that stand in one place of rows: a struct of objects, a list of arrays, and of others
/// bigint, numeric, double precision, boolean, or text, of which all may be dates, timestamps or UUIDs.
/// Numbers, truth values and texts together are texts; arrays or objects with others are JSON as it is written,
/// and so are objects without members and those of more than 200, whose names are values rather.
final class JsonGuess {
    private static final int MAX_MEMBERS = 200;
    private static final int MAX_DEPTH = 64;

    private static final int LONG_DIGITS = 19;

    private final int depth;
    private boolean hasBools;
    private boolean hasNumbers;
    private boolean hasFractions;
    private int mostDigits; // of numbers without
    private boolean isWide; // one of these is none of 64 bits
    private TypeGuess texts; // null before the first
    private JsonGuess elements; // null before the first array
    private SequencedMap<String, JsonGuess> members; // null before the first object

    JsonGuess() {
        this(0);
    }

    private JsonGuess(int depth) {
        this.depth = depth;
    }

    /// Adds the object that the block's reader is at.
    ///
    /// @param names gets its members' names
    void addRow(JsonBlock block, Set<String> names) {
        members = members == null ? new LinkedHashMap<>() : members;
        block.scanner().begin(0);
        addMembers(block, names);
        block.scanner().requireEnd();
    }

    private void add(JsonBlock block) {
        JsonScanner scanner = block.scanner();
        byte first = scanner.begin(0);
        int start = scanner.at();
        switch (first) {
            case '{' -> {
                members = members == null ? new LinkedHashMap<>() : members;
                if (depth < MAX_DEPTH && members.size() <= MAX_MEMBERS) {
                    addMembers(block, null);
                } else {
                    scanner.value(0);
                }
            }
            case '[' -> {
                elements = elements == null ? new JsonGuess(depth + 1) : elements;
                if (depth >= MAX_DEPTH) {
                    scanner.value(0);
                    return;
                }
                scanner.advance();
                if (!scanner.closes(']')) {
                    do {
                        elements.add(block);
                    } while (scanner.continues(']'));
                }
            }
            case '"' -> {
                scanner.scalar();
                int end = scanner.at() - 1;
                int to = scanner.isEscaped() ? JsonStrings.decodeInPlace(block.bytes(), start + 1, end) : end;
                texts = texts == null ? TypeGuess.ofTexts() : texts;
                texts.add(new String(block.bytes(), start + 1, to - start - 1, StandardCharsets.UTF_8), true);
            }
            default -> {
                scanner.scalar();
                scanner.takeNonFinite();
                addScalar(first, block.bytes(), start, scanner.at());
            }
        }
    }

    private void addMembers(JsonBlock block, Set<String> names) {
        JsonScanner scanner = block.scanner();
        scanner.advance();
        if (scanner.closes('}')) {
            return;
        }
        do {
            String name = block.memberName(scanner.checkKey());
            if (names != null) {
                names.add(name);
            }
            JsonGuess member = members.get(name);
            if (member == null) {
                member = new JsonGuess(depth + 1);
                members.put(name, member);
            }
            member.add(block);
        } while (scanner.continues('}'));
    }

    private void addScalar(byte first, byte[] bytes, int start, int end) {
        switch (first) {
            case 't', 'f' -> hasBools = true;
            case 'n' -> {
                // NULL is of every type.
            }
            default -> {
                hasNumbers = true;
                int from = first == '-' ? start + 1 : start;
                int digits = digits(bytes, from, end);
                hasFractions |= digits < 0;
                isWide |= digits >= LONG_DIGITS && !isLong(bytes, start, end);
                mostDigits = Math.max(mostDigits, digits);
            }
        }
    }

    private static boolean isLong(byte[] bytes, int start, int end) {
        try {
            Long.parseLong(new String(bytes, start, end - start, StandardCharsets.US_ASCII));
            return true;
        } catch (NumberFormatException _) {
            return false;
        }
    }

    /// How many digits a number has; -1 where it has something else.
    private static int digits(byte[] bytes, int start, int end) {
        for (int at = start; at < end; at++) {
            if (bytes[at] < '0' || bytes[at] > '9') {
                return -1;
            }
        }
        return end - start;
    }

    /// Of integers beyond bigint numeric, so that they stay what they are; of numbers with fractions double precision.
    private NestedType.Leaf number() {
        if (hasFractions || mostDigits > DataType.Decimal.MAX_PRECISION) {
            return new NestedType.Leaf(PgType.FLOAT8, DataType.FLOAT64);
        }
        return isWide
                ? new NestedType.Leaf(PgType.NUMERIC, new DataType.Decimal(DataType.Decimal.MAX_PRECISION, 0))
                : new NestedType.Leaf(PgType.INT8, DataType.INT64);
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
        NestedType.Leaf found;
        if (isOneKind && hasNumbers) {
            found = number();
        } else {
            PgType type = !isOneKind ? PgType.TEXT : hasBools ? PgType.BOOL : texts.type();
            found = new NestedType.Leaf(type, type.dataType());
        }
        return known instanceof NestedType.Leaf(PgType held, DataType _) && isWider(held, found.type()) ? known : found;
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
            case FLOAT8 -> type == PgType.INT8 || type == PgType.NUMERIC;
            case NUMERIC -> type == PgType.INT8;
            case TIMESTAMP -> type == PgType.DATE;
            default -> false;
        };
    }

    static final NestedType.Leaf JSON = new NestedType.Leaf(PgType.JSON, PgType.JSON.dataType());
}
