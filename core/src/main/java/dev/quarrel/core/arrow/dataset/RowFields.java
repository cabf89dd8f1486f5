package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.MemberOrder;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Finds which fields the texts of a column's composites have, which are read from several files: those of all of them,
/// in the order in which they first appear, as [MemberOrder] has it.
final class RowFields {
    private RowFields() {}

    /// None where a file does not say which it has, or files do not say the same of one.
    ///
    /// @param column of a type whose values are held as text
    static List<Field> of(Field column, List<TableFile.Part> parts) {
        List<Field> all = null;
        boolean isOrdered = true;
        boolean isSame = true;
        for (TableFile.Part part : parts) {
            ArrowFile file = part.file();
            int index = file == null ? -1 : file.columnIndex(column.name());
            if (index < 0 || !TypedFields.hasType(file, column.name())) {
                continue;
            }
            OtherType type = file.field(index).other();
            List<Field> own = type == null ? List.of() : type.fields();
            isSame &= all == null || all.equals(own);
            isOrdered &= MemberOrder.of(file.storage(index)) != null; // texts are shown as they are
            all = all == null ? own : merged(all, own);
        }
        if (all == null) {
            return column.other().fields();
        }
        return isSame || isOrdered ? all : List.of();
    }

    private static List<Field> merged(List<Field> one, List<Field> two) {
        if (one.equals(two) || one.isEmpty() || two.isEmpty()) {
            return one.equals(two) ? one : List.of();
        }
        Map<String, Field> fields = new LinkedHashMap<>();
        for (Field field : one) {
            fields.put(field.name(), field);
        }
        for (Field field : two) {
            Field known = fields.get(field.name());
            Field merged = known == null ? field : merged(known, field);
            if (merged == null) {
                return List.of();
            }
            fields.put(field.name(), merged);
        }
        return List.copyOf(fields.values());
    }

    /// Null for fields of two types. A type that was made again has another number.
    private static Field merged(Field one, Field two) {
        OtherType first = one.other();
        OtherType second = two.other();
        if (first == null || second == null) {
            return one.equals(two) ? one : null;
        }
        List<Field> fields = merged(first.fields(), second.fields());
        boolean isSame = first.name().equals(second.name())
                && first.labels().equals(second.labels())
                && first.isRow() == second.isRow()
                && fields.isEmpty() == first.fields().isEmpty();
        return isSame ? new Field(one.name(), one.nullable(), first.withFields(fields)) : null;
    }
}
