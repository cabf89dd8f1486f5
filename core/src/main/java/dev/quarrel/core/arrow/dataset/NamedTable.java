package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/// A table that somebody has named over files, wherever they lie: `CREATE FOREIGN TABLE`.
///
/// @param columns those that were declared; empty where they are all that the files have, and the keys of their paths
/// @param server the foreign server's name
/// @param options which files, as [FileSource] reads them
public record NamedTable(
        String schemaName, String name, List<Column> columns, String server, SequencedMap<String, String> options) {
    /// The name of a server that every dataset has.
    public static final String SERVER = "arrow_fdw";

    /// Another one: shorter.
    public static final String SHORT_SERVER = "arrow";

    public static final Set<String> SERVERS = Set.of(SERVER, SHORT_SERVER);

    private static final String VIRTUAL = "virtual";
    private static final String VIRTUAL_METADATA = "virtual_metadata";
    private static final String VIRTUAL_METADATA_SPLIT = "virtual_metadata_split";

    /// A column as it was declared.
    ///
    /// @param options `virtual`, `virtual_metadata` or `virtual_metadata_split` for what stands in no file; else
    /// empty
    public record Column(Field field, SequencedMap<String, String> options) {
        public Column(Field field) {
            this(field, new LinkedHashMap<>());
        }

        public static Column virtual(Field field, String key) {
            SequencedMap<String, String> options = new LinkedHashMap<>();
            options.put(VIRTUAL, key);
            return new Column(field, options);
        }

        /// Where its values are from; null for those of the files.
        Virtual virtual() {
            for (Virtual.Kind kind : Virtual.Kind.values()) {
                if (options.containsKey(kind.option)) {
                    return new Virtual(kind, options.get(kind.option));
                }
            }
            return null;
        }
    }

    /// Where a column's values are from that stands in no file.
    record Virtual(Kind kind, String key) {
        enum Kind {
            /// A key of the file's path.
            KEY(VIRTUAL),
            /// The schema's or a field's custom metadata.
            METADATA(VIRTUAL_METADATA),
            /// The same, with a value a record batch between commas.
            METADATA_SPLIT(VIRTUAL_METADATA_SPLIT);

            private final String option;

            Kind(String option) {
                this.option = option;
            }
        }
    }

    /// - Errors: `QueryException` HV00D for an option that is none, 22023 for one whose value makes no sense, 42701 for
    ///   two columns of one name.
    public NamedTable {
        columns = List.copyOf(columns);
        Set<String> names = new HashSet<>();
        for (Column column : columns) {
            if (!names.add(column.field().name())) {
                throw new QueryException(
                        SqlState.DUPLICATE_COLUMN, "column \"" + column.field().name() + "\" specified more than once");
            }
            int kinds = 0;
            for (Map.Entry<String, String> option : column.options().entrySet()) {
                switch (option.getKey()) {
                    case VIRTUAL, VIRTUAL_METADATA, VIRTUAL_METADATA_SPLIT -> kinds++;
                    default ->
                        throw FileSource.invalid(option.getKey(), "virtual, virtual_metadata, virtual_metadata_split");
                }
            }
            if (kinds > 1) {
                throw new QueryException(
                        SqlState.SYNTAX_ERROR, "column \"" + column.field().name() + "\" has conflicting options");
            }
        }
    }

    /// A table whose columns are those of its files.
    ///
    /// @param files paths or patterns of them
    public static NamedTable ofFiles(String schemaName, String name, String files) {
        SequencedMap<String, String> options = new LinkedHashMap<>();
        options.put(FileSource.FILES, files);
        return new NamedTable(schemaName, name, List.of(), SERVER, options);
    }

    /// A table whose columns are those of one file.
    public static NamedTable ofFile(String schemaName, String name, Path file) {
        SequencedMap<String, String> options = new LinkedHashMap<>();
        options.put(FileSource.FILE, file.toAbsolutePath().toString());
        return new NamedTable(schemaName, name, List.of(), SERVER, options);
    }

    NamedTable withColumns(List<Column> newColumns) {
        return new NamedTable(schemaName, name, newColumns, server, options);
    }

    NamedTable renamed(String newSchemaName, String newName) {
        return new NamedTable(newSchemaName, newName, columns, server, options);
    }

    boolean isDeclared() {
        return !columns.isEmpty();
    }

    List<Field> fields() {
        return columns.stream().map(Column::field).toList();
    }

    /// What clients are told of it.
    ForeignTable foreign() {
        Map<String, List<String>> columnOptions = new LinkedHashMap<>();
        for (Column column : columns) {
            if (!column.options().isEmpty()) {
                columnOptions.put(column.field().name(), texts(column.options()));
            }
        }
        return new ForeignTable(server, texts(options), columnOptions);
    }

    private static List<String> texts(SequencedMap<String, String> options) {
        List<String> texts = new ArrayList<>();
        options.forEach((option, value) -> texts.add(option + "=" + value));
        return texts;
    }

    /// Whether a declared type takes that of the files' column: `numeric` without digits.
    static boolean isOpenNumeric(Field declared) {
        PgType.Declared type = PgType.Declared.of(declared);
        return type.type() == PgType.NUMERIC && type.typmod() == PgType.NO_TYPMOD;
    }
}
