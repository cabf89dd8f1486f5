package dev.quarrel.cuda;

import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.encode.BuildEncoder;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.encode.Facts;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.encode.RowsEncoder;
import dev.quarrel.cuda.encode.SortForm;
import dev.quarrel.cuda.facts.HopedFacts;
import dev.quarrel.cuda.join.BuildUse;
import dev.quarrel.cuda.rows.RowsPipeline;
import dev.quarrel.cuda.service.CostModel;
import dev.quarrel.cuda.vm.ColumnForm;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// Decides whether the device has kernels for a pipeline: a pure function of the plan and the statistics of what
/// it scans.
///
/// What only build sides tell (equal keys, wide ranges) shows when the pipeline is prepared: the CPU runs it then.
final class CudaLowering {
    private static final long UNKNOWN_ROWS = 1000;
    private static final String AS_IT_CAME = "rows that leave as they came need no kernel";

    private CudaLowering() {}

    /// The reason why the device cannot run the pipeline, or null.
    static String refusal(QueryPlan plan, Pipeline pipeline) {
        return refusal(plan, pipeline, null);
    }

    /// @param table what the pipeline scans, or null: then everything is hoped of it
    static String refusal(QueryPlan plan, Pipeline pipeline, Table table) {
        if (!(pipeline.source() instanceof Source.TableScan scan)) {
            return "only scans of tables have CUDA kernels";
        }
        String sink =
                switch (pipeline.sink()) {
                    case Sink.Aggregate aggregate ->
                        aggregate.sets().isEmpty() ? null : "several grouping sets have no CUDA kernel";
                    case Sink.HashBuild _ -> null;
                    case Sink.Result _, Sink.Window _ -> RowsPipeline.leavesAsItCame(pipeline) ? AS_IT_CAME : null;
                    case Sink.Sort(var keys, var _, var _)
                    when keys.isEmpty() -> "the first rows of a scan have no CUDA kernel";
                    case Sink.Sort _ -> null;
                    case Sink.Last _ -> "the last rows of a scan have no CUDA kernel";
                    case Sink.Collect _ -> "rows that several pipelines read are collected by the CPU";
                    case Sink.Feed _ -> "pipelines that feed another one run on the CPU";
                };
        if (sink != null) {
            return sink;
        }
        try {
            inputs(plan, pipeline, new HopedFacts(plan, scan, table));
            return null;
        } catch (NoKernel problem) {
            return problem.getMessage();
        }
    }

    /// The inputs that a pipeline's program reads.
    ///
    /// - Errors: [NoKernel].
    private static Set<Integer> inputs(QueryPlan plan, Pipeline pipeline, Facts facts) {
        EncodedPipeline encoded =
                switch (pipeline.sink()) {
                    case Sink.Aggregate _ -> ProgramEncoder.encode(pipeline, facts);
                    case Sink.HashBuild _ ->
                        BuildEncoder.survey(
                                        pipeline,
                                        facts,
                                        BuildUse.of(plan, pipeline).grouped())
                                .program();
                    case Sink.Result _, Sink.Sort _, Sink.Last _, Sink.Window _, Sink.Collect _, Sink.Feed _ -> {
                        EncodedRows rows = RowsEncoder.encode(pipeline, facts);
                        if (isWholeSort(pipeline) && RowsPipeline.leavesAsItCame(pipeline)) {
                            SortForm.of(pipeline, rows, facts); // or there is nothing to do for the device
                        }
                        yield rows.write();
                    }
                };
        Set<Integer> inputs = new TreeSet<>(encoded.inputs());
        inputs.removeIf(input -> input < 0);
        return inputs;
    }

    private static boolean isWholeSort(Pipeline pipeline) {
        return pipeline.sink() instanceof Sink.Sort(var _, var _, Sink.Bound limit) && limit.equals(Sink.Bound.NONE);
    }

    /// What launches cost, in those of a queue that nobody waits for.
    private static int launches(Pipeline pipeline, Table table, ResidentColumns columns) {
        int chunks = table == null ? 1 : columns.chunks(table).size();
        return pipeline.sink() instanceof Sink.Aggregate ? chunks : chunks * RowsPipeline.LAUNCHES;
    }

    /// Whether the device has kernels for the pipeline, and what it takes there.
    ///
    /// @param columns what is on the device already
    static Lowering lower(
            QueryPlan plan, Pipeline pipeline, PlacementHints hints, CostModel costs, ResidentColumns columns) {
        String refusal = refusal(plan, pipeline, hints.source());
        if (refusal != null) {
            return new Lowering.Unsupported(refusal);
        }
        Source.TableScan scan = (Source.TableScan) pipeline.source();
        long rows = hints.sourceRows() < 0 ? UNKNOWN_ROWS : hints.sourceRows();
        Facts facts = new HopedFacts(plan, scan, hints.source());
        long bytes = 0;
        long resident = 0;
        for (int input : inputs(plan, pipeline, facts)) {
            ColumnForm form = facts.form(input);
            bytes += form.bytes(rows) + facts.textBytes(input);
            if (hints.source() != null) {
                int column = hints.source().schema().indexOf(scan.columnNames().get(input));
                resident += columns.residentBytes(hints.source(), column, form);
            }
        }
        long absent = Math.max(0, bytes - resident);
        long moved = 0;
        long leaving = 0;
        String sort = "";
        if (isWholeSort(pipeline)) {
            try {
                EncodedRows encoded = RowsEncoder.encode(pipeline, facts);
                moved = SortForm.of(pipeline, encoded, facts).movedBytes(encoded, rows);
                leaving = SortForm.leavingBytes(encoded, rows);
                sort = ", sorted there";
            } catch (NoKernel reason) {
                sort = "; " + reason.getMessage();
            }
        }
        CostModel.Work work = new CostModel.Work(
                bytes + moved,
                absent,
                bytes <= columns.limitBytes(),
                rows * pipeline.joins().size(),
                0,
                launches(pipeline, hints.source(), columns),
                leaving);
        return new Lowering.Supported(
                costs.seconds(work),
                String.format(Locale.ROOT, "%.1f MB, %.1f MB to copy%s", bytes / 1e6, absent / 1e6, sort));
    }
}
