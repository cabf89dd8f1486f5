package dev.quarrel.cli.imports;

import dev.hardwood.metadata.ConvertedType;
import dev.hardwood.metadata.LogicalType;
import dev.hardwood.metadata.RepetitionType;
import dev.hardwood.schema.FileSchema;
import dev.hardwood.schema.SchemaNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Finds what the groups of a file's schema are: structs, lists and maps, in the forms that writers have given them
/// over the years.
///
/// - Errors: `QueryException` 0A000 for a column that is none of these, or has values of a type that is not read.
/// - Source: Apache Parquet, "Logical Types", sections "Nested Types", with their backward compatibility rules.
final class ParquetNodes {
    private static final int MAX_DEPTH = 64; // what is read of an Arrow file

    private final FileSchema schema;
    private final Path file;

    /// @param file for errors
    ParquetNodes(FileSchema schema, Path file) {
        this.schema = schema;
        this.file = file;
    }

    /// Whether a field of the schema's root has lists or structs.
    static boolean isNested(SchemaNode field) {
        return field instanceof SchemaNode.GroupNode || isRepeated(field);
    }

    /// @param field of the schema's root
    ParquetNode of(SchemaNode field) {
        ParquetNode node = node(field, field.name());
        if (node.depth() > MAX_DEPTH) {
            throw ParquetColumn.refused(
                    field.name(), file, "lists and structs of " + node.depth() + " levels, more than " + MAX_DEPTH);
        }
        return node;
    }

    private static boolean isRepeated(SchemaNode field) {
        return field.repetitionType() == RepetitionType.REPEATED;
    }

    private ParquetNode node(SchemaNode field, String path) {
        if (!isRepeated(field)) {
            return single(field, path);
        }
        if (field instanceof SchemaNode.GroupNode) {
            // The reader takes their elements for missing.
            throw ParquetColumn.refused(path, file, "a repeated group is imported in a list or a map only");
        }
        // A repeated field that is no list's and no map's is a list by itself, which is always there.
        return list(field.maxDefinitionLevel() - 1, field, single(field, path));
    }

    private static ParquetNode.Lists list(int level, SchemaNode repeated, ParquetNode element) {
        return new ParquetNode.Lists(level, repeated.maxDefinitionLevel(), repeated.maxRepetitionLevel(), element);
    }

    /// One of a field's values, where it is repeated; else the field.
    private ParquetNode single(SchemaNode field, String path) {
        return switch (field) {
            case SchemaNode.PrimitiveNode values ->
                new ParquetNode.Values(
                        values.maxDefinitionLevel(),
                        values.columnIndex(),
                        ParquetColumn.of(schema.getColumn(values.columnIndex()), file));
            case SchemaNode.GroupNode group when isList(group) -> list(group, path);
            case SchemaNode.GroupNode group when isMap(group) -> map(group, path);
            case SchemaNode.GroupNode group
            when group.logicalType() instanceof LogicalType.VariantType ->
                throw ParquetColumn.refused(path, file, "variants are not imported");
            case SchemaNode.GroupNode group -> struct(group, path);
        };
    }

    private static boolean isList(SchemaNode.GroupNode group) {
        return group.logicalType() instanceof LogicalType.ListType || group.convertedType() == ConvertedType.LIST;
    }

    private static boolean isMap(SchemaNode.GroupNode group) {
        return group.logicalType() instanceof LogicalType.MapType || group.convertedType() == ConvertedType.MAP;
    }

    private ParquetNode.Structs struct(SchemaNode.GroupNode group, String path) {
        if (group.children().isEmpty()) {
            throw ParquetColumn.refused(path, file, "a struct without members is not imported");
        }
        Set<String> names = new HashSet<>();
        List<ParquetNode.Member> members = new ArrayList<>();
        for (SchemaNode child : group.children()) {
            String childPath = path + "." + child.name();
            if (!names.add(child.name())) {
                throw ParquetColumn.refused(childPath, file, "a struct with two members of one name is not imported");
            }
            members.add(new ParquetNode.Member(child.name(), node(child, childPath)));
        }
        return new ParquetNode.Structs(group.maxDefinitionLevel(), members);
    }

    private ParquetNode list(SchemaNode.GroupNode group, String path) {
        SchemaNode repeated = repeated(group, path, "list");
        String repeatedPath = path + "." + repeated.name();
        ParquetNode element = repeated instanceof SchemaNode.GroupNode wrapper && isWrapper(wrapper, group)
                ? node(
                        wrapper.children().getFirst(),
                        repeatedPath + "." + wrapper.children().getFirst().name())
                : single(repeated, repeatedPath);
        return list(group.maxDefinitionLevel(), repeated, element);
    }

    private SchemaNode repeated(SchemaNode.GroupNode group, String path, String what) {
        List<SchemaNode> children = group.children();
        if (children.size() != 1 || !isRepeated(children.getFirst())) {
            throw ParquetColumn.refused(
                    path, file, "a " + what + " is a group with one repeated field, and this one is not");
        }
        return children.getFirst();
    }

    /// Whether a list's repeated group is only there to hold the element, which may be NULL, and not the element
    /// itself.
    private static boolean isWrapper(SchemaNode.GroupNode repeated, SchemaNode.GroupNode list) {
        return repeated.children().size() == 1
                && !isRepeated(repeated.children().getFirst())
                && !isList(repeated)
                && !isMap(repeated)
                && !repeated.name().equals("array")
                && !repeated.name().equals(list.name() + "_tuple");
    }

    private ParquetNode map(SchemaNode.GroupNode group, String path) {
        SchemaNode repeated = repeated(group, path, "map");
        String entriesPath = path + "." + repeated.name();
        boolean isOfPairs = repeated instanceof SchemaNode.GroupNode entries
                && entries.children().size() == 2
                && !isRepeated(entries.children().getFirst());
        if (!isOfPairs) {
            throw ParquetColumn.refused(
                    entriesPath, file, "a map's entries are groups of a key and a value, and these are not");
        }
        ParquetNode.Structs entries = struct((SchemaNode.GroupNode) repeated, entriesPath);
        return new ParquetNode.Maps(list(group.maxDefinitionLevel(), repeated, entries));
    }
}
