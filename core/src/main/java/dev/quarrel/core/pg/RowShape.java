package dev.quarrel.core.pg;

import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// What the parts of a row's text are compared as. It has a text of its own, which functions of rows take as an
/// argument: `int4,text~"i:de",{"low","high"},(int4,date),numeric[]`.
public sealed interface RowShape {
    /// A value of a type, whose array type is known, too.
    ///
    /// @param collation the spec of the one that orders it; null where bytes do, and for what is no text
    record Value(PgType type, String collation) implements RowShape {}

    /// One of an enum's labels, in their order.
    record Label(List<String> labels) implements RowShape {
        public Label {
            labels = List.copyOf(labels);
        }
    }

    record Row(List<RowShape> fields) implements RowShape {
        public Row {
            fields = List.copyOf(fields);
        }
    }

    /// An array.
    record Elements(RowShape element) implements RowShape {}

    /// The shape of rows with these fields; null where Quarrel cannot compare some of them.
    static Row ofRows(List<Field> fields) {
        List<RowShape> shapes = new ArrayList<>();
        for (Field field : fields) {
            RowShape shape = of(field);
            if (shape == null) {
                return null;
            }
            shapes.add(shape);
        }
        return shapes.isEmpty() ? null : new Row(shapes);
    }

    private static RowShape of(Field field) {
        OtherType other = field.other();
        if (other != null && other.isEnum()) {
            return new Label(other.labels());
        }
        if (other != null && !other.fields().isEmpty()) {
            Row row = ofRows(other.fields());
            return row == null || other.isRow() ? row : new Elements(row);
        }
        // Files name types that had no values of their own when they were written.
        PgType type = other == null
                ? PgType.Declared.of(field).type()
                : PgType.ofOid(other.oid()).orElse(PgType.OTHER);
        boolean isArray = type.isArray() && !type.isOfCatalogs();
        PgType element = isArray ? type.element() : type;
        Collation collation = field.collation();
        boolean isText = field.type() instanceof DataType.Utf8 && collation != null;
        if (!isOrdered(element) || isText && !collation.isDeterministic()) {
            return null;
        }
        Value value = new Value(element, isText && !collation.isByBytes() ? collation.spec() : null);
        return isArray ? new Elements(value) : value;
    }

    private static boolean isOrdered(PgType type) {
        return switch (type) {
            case JSON, JSONPATH, UNKNOWN, OTHER -> false;
            default ->
                !type.isOfCatalogs() && !type.isPolymorphic() && type.array().isPresent();
        };
    }

    default String text() {
        return switch (this) {
            case Value(PgType type, String collation) ->
                (type == PgType.CHAR ? type.formatName() : type.typeName())
                        + (collation == null ? "" : "~" + quoted(collation));
            case Label(List<String> labels) ->
                labels.stream().map(RowShape::quoted).collect(Collectors.joining(",", "{", "}"));
            case Row(List<RowShape> fields) ->
                fields.stream().map(RowShape::text).collect(Collectors.joining(",", "(", ")"));
            case Elements(RowShape element) -> element.text() + "[]";
        };
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\"", "\"\"") + "\"";
    }

    /// Reads what [#text] writes of a row.
    static Row parse(String text) {
        return (Row) new Reader(text).shape();
    }

    /// Reads the text of a shape, from left to right.
    final class Reader {
        private final String text;
        private int at;

        private Reader(String text) {
            this.text = text;
        }

        private RowShape shape() {
            RowShape shape =
                    switch (text.charAt(at)) {
                        case '(' -> row();
                        case '{' -> label();
                        default -> value();
                    };
            while (text.startsWith("[]", at)) {
                at += 2;
                shape = new Elements(shape);
            }
            return shape;
        }

        private Row row() {
            List<RowShape> fields = new ArrayList<>();
            do {
                at++;
                fields.add(shape());
            } while (text.charAt(at) == ',');
            at++;
            return new Row(fields);
        }

        private Label label() {
            List<String> labels = new ArrayList<>();
            do {
                at++;
                labels.add(quoted());
            } while (text.charAt(at) == ',');
            at++;
            return new Label(labels);
        }

        private Value value() {
            int start = at;
            while (at < text.length() && ",~[)".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            PgType type = PgType.named(text.substring(start, at)).orElseThrow();
            if (at == text.length() || text.charAt(at) != '~') {
                return new Value(type, null);
            }
            at++;
            return new Value(type, quoted());
        }

        private String quoted() {
            StringBuilder quoted = new StringBuilder();
            for (at++; text.charAt(at) != '"' || text.startsWith("\"\"", at); at++) {
                at += text.charAt(at) == '"' ? 1 : 0;
                quoted.append(text.charAt(at));
            }
            at++;
            return quoted.toString();
        }
    }
}
