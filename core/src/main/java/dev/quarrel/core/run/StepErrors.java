package dev.quarrel.core.run;

import dev.quarrel.core.ir.IrText;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// What becomes of a throwable that ends a query's step.
final class StepErrors {
    private StepErrors() {}

    /// The error that the reader gets.
    static QueryException toQueryException(Throwable error) {
        return switch (error) {
            case QueryException known -> known;
            case OutOfMemoryError _ ->
                new QueryException(SqlState.OUT_OF_MEMORY, "out of memory", error)
                        .withDetail("The Java heap or the machine has no memory left: " + error.getMessage())
                        .withHint("Start with a larger -Xmx, or lower quarrel.query_memory.");
            case StackOverflowError _ ->
                new QueryException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", error)
                        .withHint("Simplify the statement: too many joins or expressions stand over one another.");
            default ->
                new QueryException(
                        SqlState.INTERNAL_ERROR,
                        "internal error: " + error.getClass().getSimpleName() + ": " + error.getMessage(),
                        error);
        };
    }

    /// A file that was cut short while mapped shows as an [InternalError] of the JVM at some access to it.
    static Throwable ofPipeline(Throwable error, Pipeline pipeline, CatalogSnapshot catalog) {
        if (!(error instanceof InternalError fault)) {
            return error;
        }
        QueryException known = catalog.faultOf(fault);
        if (known != null) {
            return known;
        }
        if (pipeline.source() instanceof Source.TableScan scan) {
            return new QueryException(
                            SqlState.IO_ERROR,
                            "could not read table " + scan.schemaName() + "." + scan.tableName()
                                    + ": a file of it was cut short while mapped",
                            error)
                    .withHint("Export the table again; never write into files of a dataset.");
        }
        return error;
    }

    /// The plan's text; of a plan that has none, why.
    static String text(QueryPlan plan) {
        try {
            return IrText.of(plan);
        } catch (RuntimeException problem) {
            return "(no text: " + problem + ")";
        }
    }
}
