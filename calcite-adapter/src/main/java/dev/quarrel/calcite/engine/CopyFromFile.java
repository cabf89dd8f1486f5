package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.OverDataset;
import dev.quarrel.core.arrow.dataset.TableLoad;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.csv.CsvFormat;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs COPY … FROM a file of this machine: its rows are a run of the dataset, all of them or none.
///
/// - Errors: PostgreSQL's of COPY; 42501 for a file outside of the folders that may be read.
final class CopyFromFile {
    private static final int BATCH_ROWS = 1 << 18;

    private final LocalEngine engine;
    private final TablePrivileges privileges;
    private final List<String> searchPath;

    CopyFromFile(LocalEngine engine, TablePrivileges privileges, List<String> searchPath) {
        this.engine = engine;
        this.privileges = privileges;
        this.searchPath = searchPath;
    }

    /// @return how many rows there were
    long run(Statement.CopyFrom copy, Cancellation cancellation) {
        if (!(engine.catalog() instanceof OverDataset over)) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "this database takes no rows");
        }
        if (copy.options().format() != CopyOptions.Format.CSV) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "COPY FROM in " + copy.options().format() + " mode is not supported")
                    .withHint("write (FORMAT csv)");
        }
        DatasetCatalog catalog = over.dataset();
        String name = copy.table().getLast();
        String schemaName;
        Schema columns;
        try (CatalogSnapshot snapshot = catalog.snapshot()) {
            schemaName = schema(copy.table(), snapshot);
            Table table = snapshot.table(schemaName, name);
            table.awaitOpen(() -> {});
            if (!privileges.mayCreateIn(schemaName)) {
                throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + name);
            }
            if (table.fault() != null) {
                throw table.fault();
            }
            if (table.foreign() != null) {
                throw new QueryException(
                        SqlState.WRONG_OBJECT_TYPE, "cannot insert into foreign table \"" + name + "\"");
            }
            columns = columns(copy, table, name);
        }
        Path file = catalog.root().resolve(copy.file()).normalize();
        catalog.requireReadable(file, engine.config().writes().importRoots());
        return load(copy, catalog, schemaName, columns, file, cancellation);
    }

    private static long load(
            Statement.CopyFrom copy,
            DatasetCatalog catalog,
            String schemaName,
            Schema columns,
            Path file,
            Cancellation cancellation) {
        CopyOptions options = copy.options();
        CsvFormat format = new CsvFormat(
                options.delimiter(), options.quote(), options.escape(), options.nullText(), options.header());
        String name = copy.table().getLast();
        try (CsvFile csv =
                        new CsvFile("COPY " + name, Files.newInputStream(file), format, columns, copy.matchesHeader());
                DatasetWriter run = DatasetWriter.begin(catalog.root(), DatasetWriter.Mode.APPEND, "COPY")) {
            run.check(schemaName, name, columns.fields());
            long rowCount;
            try (TableLoad load = new TableLoad(run, schemaName, name, columns, WriteOptions.PLAIN)) {
                for (Batch batch = csv.next(BATCH_ROWS); batch != null; batch = csv.next(BATCH_ROWS)) {
                    try (Batch owned = batch) {
                        cancellation.check();
                        load.append(owned);
                    }
                }
                rowCount = load.finish();
            }
            cancellation.check();
            run.commit(null, null);
            return rowCount;
        } catch (NoSuchFileException e) {
            throw new QueryException(
                    SqlState.UNDEFINED_FILE,
                    "could not open file \"" + file + "\" for reading: No such file or directory",
                    e);
        } catch (IOException e) {
            throw new QueryException(SqlState.IO_ERROR, "could not read file \"" + file + "\": " + e.getMessage(), e);
        }
    }

    private String schema(List<String> name, CatalogSnapshot snapshot) {
        List<String> schemas = name.size() > 1 ? List.of(name.get(name.size() - 2)) : searchPath;
        return schemas.stream()
                .filter(schema -> snapshot.table(schema, name.getLast()) != null)
                .findFirst()
                .orElseThrow(() -> new QueryException(
                        SqlState.UNDEFINED_TABLE, "relation \"" + String.join(".", name) + "\" does not exist"));
    }

    private static Schema columns(Statement.CopyFrom copy, Table table, String name) {
        if (copy.columns().isEmpty()) {
            return table.shownSchema();
        }
        List<Field> fields = new ArrayList<>();
        for (String column : copy.columns()) {
            int index = table.shownSchema().indexOf(column);
            if (index < 0) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + column + "\" of relation \"" + name + "\" does not exist");
            }
            if (fields.stream().anyMatch(field -> field.name().equals(column))) {
                throw new QueryException(
                        SqlState.DUPLICATE_COLUMN, "column \"" + column + "\" specified more than once");
            }
            fields.add(table.schema().field(index));
        }
        return new Schema(fields);
    }
}
