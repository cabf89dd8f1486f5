package dev.quarrel.core.type;

import java.util.List;
import java.util.stream.Collectors;

/// The fields of a table, batch or result, in order. Names need not be distinct in a result; in a table they are.
public record Schema(List<Field> fields) {
    public Schema {
        fields = List.copyOf(fields);
    }

    public static Schema of(Field... fields) {
        return new Schema(List.of(fields));
    }

    public int size() {
        return fields.size();
    }

    public Field field(int index) {
        return fields.get(index);
    }

    public DataType type(int index) {
        return fields.get(index).type();
    }

    /// The index of the first field of that exact name, or -1.
    public int indexOf(String name) {
        for (int index = 0; index < fields.size(); index++) {
            if (fields.get(index).name().equals(name)) {
                return index;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return fields.stream().map(Field::toString).collect(Collectors.joining(", ", "(", ")"));
    }
}
