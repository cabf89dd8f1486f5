package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/// The form in which a file holds values that columns hold as PostgreSQL's text, or as
/// [dev.quarrel.core.column.NestedColumn]: an array as a list, a composite or a range as a struct.
public sealed interface NestedType {
    /// A value that is not taken apart any further: as columns of `dataType` have it, or its text.
    ///
    /// @param type TEXT, or the type that reads and writes the value's text
    /// @param dataType of no Numeric, which has NaN, and of an Interval only where values do not come as text:
    /// texts have more hours than files
    record Leaf(PgType type, DataType dataType) implements NestedType {
        public Leaf {
            if (type.isArray() || dataType instanceof DataType.Numeric) {
                throw new IllegalArgumentException("no leaf is " + type + " as " + dataType);
            }
        }
    }

    Leaf TEXT = new Leaf(PgType.TEXT, DataType.UTF8);

    /// An array of exactly `dimensions` dimensions, each counted from 1, or an array without elements.
    record Array(NestedType element, int dimensions) implements NestedType {
        public static final int MAX_DIMENSIONS = 6;

        public Array {
            Objects.requireNonNull(element, "element");
            if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
                throw new IllegalArgumentException(dimensions + " dimensions");
            }
        }
    }

    record Composite(List<Member> members) implements NestedType {
        public Composite {
            members = List.copyOf(members);
        }

        /// The type of the one member of that name; null where there is none, or are several.
        public NestedType member(String name) {
            List<Member> found = members.stream()
                    .filter(member -> member.name().equals(name))
                    .toList();
            return found.size() == 1 ? found.getFirst().type() : null;
        }
    }

    record Member(String name, NestedType type) {}

    /// A struct of [#LOWER], [#UPPER], both NULL where there is no bound, [#LOWER_INC], [#UPPER_INC] and [#EMPTY].
    record Range(Leaf bound) implements NestedType {
        public static final String LOWER = "lower";
        public static final String UPPER = "upper";
        public static final String LOWER_INC = "lower_inc";
        public static final String UPPER_INC = "upper_inc";
        public static final String EMPTY = "empty";
        static final List<String> NAMES = List.of(LOWER, UPPER, LOWER_INC, UPPER_INC, EMPTY);
    }

    /// A list of ranges.
    record Multirange(Range range) implements NestedType {}

    /// pgvector's `vector`, `[1,2.5]`: a list of reals.
    record Vector() implements NestedType {}

    /// A map, of keys none of which is NULL. Its values come as a [dev.quarrel.core.column.NestedColumn], and not
    /// as text.
    record Pairs(NestedType key, NestedType value) implements NestedType {
        public Pairs {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(value, "value");
        }
    }

    /// hstore, `"a"=>"1", "b"=>NULL`: a map of texts.
    record Hstore() implements NestedType {}

    /// Bytes whose text is hexadecimal, in upper case: PostGIS' geometry, which is WKB.
    record Hex() implements NestedType {}

    /// The type in words, for messages: `struct(x integer, y text[])`.
    default String describe() {
        return switch (this) {
            case Leaf(PgType type, DataType _) -> type.formatName();
            case Array(NestedType element, int dimensions) -> element.describe() + "[]".repeat(dimensions);
            case Composite(List<Member> members) ->
                members.stream()
                        .map(member -> member.name() + " " + member.type().describe())
                        .collect(Collectors.joining(", ", "struct(", ")"));
            case Range(Leaf bound) -> "range(" + bound.describe() + ")";
            case Multirange(Range range) -> range.describe() + "[]";
            case Pairs(NestedType key, NestedType value) -> "map(" + key.describe() + ", " + value.describe() + ")";
            case Vector _ -> "vector";
            case Hstore _ -> "hstore";
            case Hex _ -> "hexadecimal bytes";
        };
    }

    /// A column of such values, as a file that says nothing else of it has it: lists of values are arrays of
    /// PostgreSQL's, everything else is text.
    default Field field(String name, boolean isNullable) {
        NestedType element = this;
        while (element instanceof Array(NestedType inner, int _)) {
            element = inner;
        }
        String pgType = this instanceof Array && element instanceof Leaf(PgType _, DataType dataType)
                ? PgType.of(dataType).array().map(PgType::formatName).orElse(null)
                : null;
        return new Field(name, DataType.UTF8, isNullable, pgType);
    }

    /// How a file holds values of a type in a list or struct: those whose every text is that of one Arrow value as they
    /// are, others as text.
    static Leaf leaf(PgType.Declared declared) {
        DataType dataType = declared.dataType();
        boolean isItself =
                switch (declared.type()) {
                    case BOOL, INT2, INT4, INT8, OID, FLOAT4, FLOAT8, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, UUID, BYTEA ->
                        true;
                    case NUMERIC -> dataType instanceof DataType.Decimal;
                    default -> false;
                };
        return isItself ? new Leaf(declared.type(), dataType) : TEXT;
    }

    /// The arrays of `type` in so many dimensions.
    static Array array(PgType type, int dimensions) {
        return new Array(leaf(new PgType.Declared(type.element(), PgType.NO_TYPMOD)), dimensions);
    }
}
