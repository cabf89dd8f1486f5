package dev.quarrel.core.pg;

import java.util.ArrayList;
import java.util.List;

/// A field of a composite column, or one of such a field's: `(v).a.b`.
///
/// A table has a column of that name for each of them, which no `*` has.
public record FieldPath(String column, List<String> fields) {
    public FieldPath {
        fields = List.copyOf(fields);
    }

    /// The column itself.
    public FieldPath(String column) {
        this(column, List.of());
    }

    public FieldPath child(String field) {
        List<String> longer = new ArrayList<>(fields);
        longer.add(field);
        return new FieldPath(column, longer);
    }

    /// Whether it is a field of `other` itself, not of one of its fields.
    public boolean isChildOf(FieldPath other) {
        int depth = other.fields.size();
        return column.equals(other.column)
                && fields.size() == depth + 1
                && fields.subList(0, depth).equals(other.fields);
    }

    public String lastField() {
        return fields.getLast();
    }

    /// The path of a column's name; null where it is none.
    public static FieldPath parse(String name) {
        if (!name.startsWith("(")) {
            return null;
        }
        List<String> names = new ArrayList<>();
        int at = 1;
        while (at < name.length()) {
            int end = at;
            for (boolean isQuoted = false; end < name.length(); end++) {
                char next = name.charAt(end);
                isQuoted ^= next == '"';
                if (!isQuoted && (next == '.' || next == ')')) {
                    break;
                }
            }
            String written = name.substring(at, end);
            names.add(
                    written.length() > 1 && written.startsWith("\"")
                            ? written.substring(1, written.length() - 1).replace("\"\"", "\"")
                            : written);
            at = end + (names.size() == 1 ? 2 : 1); // behind `).` or `.`
        }
        FieldPath path = names.size() < 2 ? null : new FieldPath(names.getFirst(), names.subList(1, names.size()));
        return path != null && path.toString().equals(name) ? path : null;
    }

    /// What a statement would say, and so the name of the table's column.
    @Override
    public String toString() {
        if (fields.isEmpty()) {
            return column;
        }
        StringBuilder text = new StringBuilder()
                .append('(')
                .append(Identifiers.quoted(column))
                .append(')');
        fields.forEach(field -> text.append('.').append(Identifiers.quoted(field)));
        return text.toString();
    }
}
