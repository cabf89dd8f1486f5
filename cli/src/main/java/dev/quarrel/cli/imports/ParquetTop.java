package dev.quarrel.cli.imports;

import dev.hardwood.metadata.RepetitionType;
import dev.hardwood.schema.FileSchema;
import dev.hardwood.schema.SchemaNode;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.type.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A column of the table that a Parquet file's rows are.
sealed interface ParquetTop {
    Field field();

    /// The lists or structs that it has; null for values of one type.
    NestedType nestedType();

    /// @param leaf its number among the file's columns
    record Flat(int leaf, ParquetColumn column) implements ParquetTop {
        @Override
        public Field field() {
            return column.field();
        }

        @Override
        public NestedType nestedType() {
            return null;
        }
    }

    record Nested(Field field, NestedType nestedType, ParquetNode node) implements ParquetTop {
        /// The file's columns within it.
        List<ParquetNode.Values> leaves() {
            List<ParquetNode.Values> leaves = new ArrayList<>();
            addLeaves(node, leaves);
            return leaves;
        }

        private static void addLeaves(ParquetNode node, List<ParquetNode.Values> leaves) {
            switch (node) {
                case ParquetNode.Values values -> leaves.add(values);
                case ParquetNode.Lists lists -> addLeaves(lists.element(), leaves);
                case ParquetNode.Maps maps -> addLeaves(maps.entries(), leaves);
                case ParquetNode.Structs structs ->
                    structs.members().forEach(member -> addLeaves(member.node(), leaves));
            }
        }
    }

    /// The columns of a file.
    ///
    /// - Errors: `QueryException` 0A000 for one that is not read.
    static List<ParquetTop> of(FileSchema schema, Path file) {
        ParquetNodes nodes = new ParquetNodes(schema, file);
        List<ParquetTop> columns = new ArrayList<>();
        for (SchemaNode field : schema.getRootNode().children()) {
            if (field instanceof SchemaNode.PrimitiveNode values && !ParquetNodes.isNested(field)) {
                int leaf = values.columnIndex();
                columns.add(new Flat(leaf, ParquetColumn.of(schema.getColumn(leaf), file)));
            } else {
                ParquetNode node = nodes.of(field);
                NestedType type = node.type();
                boolean isNullable = field.repetitionType() == RepetitionType.OPTIONAL;
                columns.add(new Nested(type.field(field.name(), isNullable), type, node));
            }
        }
        return columns;
    }
}
