package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.StatsCache;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import org.apache.calcite.schema.Schema;
import org.apache.calcite.schema.SchemaFactory;
import org.apache.calcite.schema.SchemaPlus;

/// Creates a Calcite schema over a dataset directory, for a model file named in `jdbc:calcite:model=…`:
///
/// ```json
/// {"version": "1.0", "defaultSchema": "data", "schemas": [{"name": "data", "type": "custom",
///   "factory": "dev.quarrel.calcite.jdbc.QuarrelSchemaFactory", "operand": {"directory": "ssb"}}]}
/// ```
///
/// | operand | meaning |
/// |---|---|
/// | `directory` | the dataset's root; relative to the model's file |
/// | `threads` | workers; default: all cores |
/// | `memory` | bytes one query may hold |
/// | `statsCache` | folder for statistics of files that bring none; default: the user's cache; empty: none are made |
///
/// Connection properties that make Calcite's front end nearer to PostgreSQL: `lex=JAVA`, `unquotedCasing=TO_LOWER`,
/// `quoting=DOUBLE_QUOTE`, `conformance=BABEL`, `fun=standard,postgresql` and
/// `typeSystem=dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE`. What it types otherwise than PostgreSQL is
/// refused (0A000), never answered wrongly. A statement over tables of Quarrel alone is planned and run by Quarrel;
/// in one that joins them with other schemas' tables Quarrel runs what stands above its own, where that is what Calcite
/// would compute: see [Pushable].
///
/// - Memory: the engine stays open as long as the process: Calcite never closes a schema.
public final class QuarrelSchemaFactory implements SchemaFactory {
    /// For models: Calcite makes one by the public constructor.
    public QuarrelSchemaFactory() {}

    /// - Errors: `QueryException` 22023 for a bad operand; those of [DatasetCatalog#open].
    @Override
    public Schema create(SchemaPlus parent, String name, Map<String, Object> operand) {
        if (!(operand.get("directory") instanceof String directory)) {
            throw invalid("operand \"directory\" of schema \"" + name + "\" must name a dataset's directory");
        }
        Path root = Path.of(directory);
        if (!root.isAbsolute() && operand.get("baseDirectory") instanceof File base) {
            root = base.toPath().resolve(root);
        }
        EngineConfig config = EngineConfig.defaults();
        if (operand.containsKey("threads")) {
            config = config.withThreads(Math.toIntExact(number(operand, "threads")));
        }
        if (operand.containsKey("memory")) {
            config = config.withQueryMemoryBytes(number(operand, "memory"));
        }
        DatasetCatalog catalog = DatasetCatalog.open(root, statsCache(operand));
        return new DatasetSchema(LocalEngine.open(catalog, config), DatasetCatalog.DEFAULT_SCHEMA);
    }

    private static StatsCache statsCache(Map<String, Object> operand) {
        if (!(operand.get("statsCache") instanceof String folder)) {
            return StatsCache.ofUser();
        }
        return folder.isEmpty() ? null : new StatsCache(Path.of(folder));
    }

    private static long number(Map<String, Object> operand, String name) {
        try {
            long value = Long.parseLong(String.valueOf(operand.get(name)));
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException _) {
            // falls through to the error below
        }
        throw invalid("operand \"" + name + "\" must be a number above 0, not " + operand.get(name));
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }
}
