package dev.quarrel.server.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The Arrow schema of a result's rows.
public final class ResultSchema {
    private ResultSchema() {}

    /// The rows' types under the result's names, made distinct: many readers tell columns apart by name.
    ///
    /// @param types one a column
    public static Schema of(List<ResultColumn> columns, List<DataType> types) {
        List<Field> fields = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        for (int index = 0; index < columns.size(); index++) {
            ResultColumn column = columns.get(index);
            String name = column.name();
            for (int suffix = 2; !taken.add(name); suffix++) {
                name = column.name() + "_" + suffix;
            }
            fields.add(new Field(name, types.get(index), true, column.declared().text(), column.other()));
        }
        return new Schema(fields);
    }

    /// The same for a result without rows: of the types that its columns are declared with.
    public static Schema of(List<ResultColumn> columns) {
        return of(
                columns,
                columns.stream().map(column -> column.declared().dataType()).toList());
    }
}
