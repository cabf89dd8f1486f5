package dev.quarrel.core.type;

import java.util.List;
import java.util.Objects;

/// A PostgreSQL type that Quarrel has no values of: json, inet, an enum, a composite, an extension's type, …; its
/// columns hold the text that PostgreSQL shows.
///
/// Such values are read, kept and shown; of operators, enums and types whose values are equal if, and only if, their
/// texts are ([#isEqualAsText]) have `=` and what rests upon it.
///
/// @param oid `pg_type.oid` where the column comes from
/// @param name `format_type(oid, NULL)`'s text
/// @param labels an enum's labels in their order; empty for what is no enum
/// @param isStyled whether the text holds timestamps with time zone, intervals or bytea, which sessions show in
///     their own ways; held are zones in UTC, IntervalStyle postgres, and hex
/// @param isRow whether it is a composite, which is NULL, too, where all its fields are
/// @param fields a row's, or those of an array's rows, in the order of its text; empty where nobody has said which, and
///     for others
public record OtherType(
        int oid, String name, List<String> labels, boolean isStyled, boolean isRow, List<Field> fields) {
    private static final int TID = 27;
    private static final int CIDR = 650;
    private static final int MACADDR8 = 774;
    private static final int MONEY = 790;
    private static final int MACADDR = 829;
    private static final int INET = 869;
    private static final int TIMETZ = 1266;
    private static final int BIT = 1560;
    private static final int VARBIT = 1562;
    private static final int PG_LSN = 3220;
    private static final int XID8 = 5069;
    private static final int RECORDS = 2287;

    /// Of rows that are no table's.
    public static final OtherType RECORD = new OtherType(2249, "record", List.of(), false, true);

    public OtherType {
        Objects.requireNonNull(name, "name");
        labels = List.copyOf(labels);
        fields = List.copyOf(fields);
    }

    public OtherType(int oid, String name, List<String> labels, boolean isStyled, boolean isRow) {
        this(oid, name, labels, isStyled, isRow, List.of());
    }

    /// A row with these fields, which compares as they do.
    public static OtherType recordOf(List<Field> fields) {
        return new OtherType(RECORD.oid, RECORD.name, List.of(), false, true, fields);
    }

    /// An array of such rows.
    public static OtherType recordsOf(List<Field> fields) {
        return new OtherType(RECORDS, RECORD.name + "[]", List.of(), false, false, fields);
    }

    /// Whether it is the same type, whatever is known of its fields.
    public boolean isSame(OtherType other) {
        return other != null && withFields(List.of()).equals(other.withFields(List.of()));
    }

    public OtherType withFields(List<Field> newFields) {
        return new OtherType(oid, name, labels, isStyled, isRow, newFields);
    }

    public OtherType(int oid, String name) {
        this(oid, name, List.of(), false, false);
    }

    public boolean isEnum() {
        return !labels.isEmpty();
    }

    /// The name without a schema and quotes; of an array that of its elements.
    public String simpleName() {
        String plain = name.endsWith("[]") ? name.substring(0, name.length() - 2) : name;
        return unquoted(plain.substring(nameStart(plain)));
    }

    /// The schema that stands before the name; null for none.
    public String schemaName() {
        int start = nameStart(name);
        return start == 0 ? null : unquoted(name.substring(0, start - 1));
    }

    /// Behind the schema's point.
    private static int nameStart(String name) {
        boolean isQuoted = false;
        for (int at = 0; at < name.length(); at++) {
            if (name.charAt(at) == '"') {
                isQuoted = !isQuoted;
            } else if (name.charAt(at) == '.' && !isQuoted) {
                return at + 1;
            }
        }
        return 0;
    }

    private static String unquoted(String name) {
        return name.startsWith("\"") ? name.substring(1, name.length() - 1).replace("\"\"", "\"") : name;
    }

    /// The error for a text that is none of an enum's labels.
    public static QueryException noLabel(String typeName, String text) {
        return new QueryException(
                SqlState.INVALID_TEXT_REPRESENTATION,
                "invalid input value for enum " + typeName + ": \"" + text + "\"");
    }

    /// Whether two values are equal if, and only if, their texts are: not so for jsonb, whose numbers have several
    /// texts, or json, which does not compare at all.
    public boolean isEqualAsText() {
        return isEnum()
                || switch (oid) {
                    case TID, CIDR, MACADDR8, MONEY, MACADDR, INET, TIMETZ, BIT, VARBIT, PG_LSN, XID8 -> true;
                    default -> false;
                };
    }

    /// Whether a cast to text gives the text that is held: inet's and cidr's add the length of the mask.
    public boolean isCastAsHeld() {
        return oid != INET && oid != CIDR;
    }

    @Override
    public String toString() {
        return name;
    }
}
