package dev.quarrel.core.cpu;

import dev.quarrel.core.cpu.FlatPipeline.Origin;
import dev.quarrel.core.cpu.FlatPipeline.Stage;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/// Plain text columns of few values, kept as codes from the first query on that groups by them or compares them: what
/// runs over a dictionary's codes then runs over them too.
///
/// Threads share it.
final class EncodedColumns {
    /// Tables below it are read as quickly as they are encoded.
    private static final long MIN_ROWS = 50_000;
    /// Rows a value, at least, by statistics.
    private static final int MIN_ROWS_A_VALUE = 16;
    /// A scan that statistics narrow to a smaller share does not pay for the whole column.
    private static final double MIN_SHARE = 0.25;

    private static final Set<JoinKind> STAYING = Set.of(JoinKind.INNER, JoinKind.SEMI, JoinKind.ANTI);

    private final DeviceConfig config;
    private final Map<Table, Map<Integer, Place>> places = new WeakHashMap<>(); // guarded by this
    private final LinkedHashMap<TextEncoding, Place> kept = new LinkedHashMap<>(16, 0.75f, true); // guarded by this
    private long keptBytes; // guarded by this

    /// What is known of a column: how it is encoded, or (null) that it is not worth it.
    private static final class Place {
        private TextEncoding encoding;
    }

    EncodedColumns(DeviceConfig config) {
        this.config = config;
    }

    /// The pipeline ready to run, if need be after a pass that encodes columns.
    PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        if (config.columnCacheBytes() == 0
                || config.tier() == DeviceConfig.Tier.INTERPRETED
                || !(pipeline.sink() instanceof Sink.Aggregate sink)
                || !(pipeline.source() instanceof Source.TableScan scan)) {
            return CpuPipeline.of(plan, pipeline, context, config);
        }
        Table table = RowSource.table(scan, context);
        boolean isSmall =
                config.tier() == DeviceConfig.Tier.AUTO && table.stats().rowCount() < MIN_ROWS;
        if (table.fault() != null || table instanceof EncodedTable || isSmall) {
            return CpuPipeline.of(plan, pipeline, context, config);
        }
        int[] columns = RowSource.columns(scan, table);
        Map<Integer, TextEncoding> known = new HashMap<>();
        List<Integer> missing = new ArrayList<>();
        for (int input : wanted(pipeline, sink, scan, table, columns, context)) {
            int column = columns[input];
            Place place = place(table, column);
            if (place == null) {
                if (isWorthIt(table, column)) {
                    missing.add(column);
                }
            } else if (place.encoding != null) {
                known.put(column, place.encoding);
            }
        }
        if (!missing.isEmpty()
                && canMatch(pipeline, context)
                && admitted(pipeline, scan, table, context) >= MIN_SHARE) {
            List<TextEncoding> made = missing.stream()
                    .map(column -> new TextEncoding(table, column))
                    .toList();
            return new EncodingPipeline(this, plan, pipeline, context, config, table, known, made);
        }
        return prepared(plan, pipeline, context, table, known);
    }

    /// The pipeline over the table with what is encoded of it.
    PreparedPipeline prepared(
            QueryPlan plan, Pipeline pipeline, PipelineContext context, Table table, Map<Integer, TextEncoding> known) {
        PipelineContext encoded =
                known.isEmpty() ? context : new EncodedContext(context, new EncodedTable(table, known));
        return CpuPipeline.of(plan, pipeline, encoded, config);
    }

    /// Inputs of plain text that are grouped by, or that conditions of their own are on.
    private static Set<Integer> wanted(
            Pipeline pipeline,
            Sink.Aggregate sink,
            Source.TableScan scan,
            Table table,
            int[] columns,
            PipelineContext context) {
        Set<Integer> wanted = new LinkedHashSet<>();
        boolean hasText = false;
        for (int input = 0; input < columns.length; input++) {
            hasText |= isPlainText(scan, table, columns, input);
        }
        for (Join join : pipeline.joins()) {
            hasText &= join.residual() == null && STAYING.contains(join.kind());
        }
        if (!hasText) {
            return wanted;
        }
        FlatPipeline flat = FlatPipeline.of(pipeline, List.of(), context.slotValues());
        for (int key : sink.keys()) {
            if (flat.outputs().get(key) instanceof Origin.Input(int input, DataType _)) {
                wanted.add(input);
            }
        }
        for (Stage stage : flat.stages()) {
            if (stage instanceof Stage.OfDictionary(Origin.Input(int input, DataType _), var _)) {
                wanted.add(input);
            }
        }
        wanted.removeIf(input -> !isPlainText(scan, table, columns, input));
        return wanted;
    }

    private static boolean isPlainText(Source.TableScan scan, Table table, int[] columns, int input) {
        return scan.types().get(input) instanceof DataType.Utf8 && table.dictionary(columns[input]) == null;
    }

    private boolean isWorthIt(Table table, int column) {
        long distinct = table.stats().columns().get(column).distinctCount();
        boolean hasFew =
                distinct <= Math.min(SharedTexts.MAX_CODES, table.stats().rowCount() / MIN_ROWS_A_VALUE);
        return TextEncoding.bytes(table) <= config.columnCacheBytes()
                && (hasFew || config.tier() == DeviceConfig.Tier.COMPILED);
    }

    private static boolean canMatch(Pipeline pipeline, PipelineContext context) {
        return pipeline.joins().stream()
                .allMatch(join -> !join.kind().needsMatch()
                        || context.materialized(join.build()).rowCount() > 0);
    }

    private static double admitted(Pipeline pipeline, Source.TableScan scan, Table table, PipelineContext context) {
        BatchRanges ranges = BatchRanges.of(pipeline, scan, table, List.of(), context.slotValues());
        long rows = 0;
        for (int batch = 0; batch < table.batchCount(); batch++) {
            rows += ranges.admits(batch) ? table.batchRows(batch) : 0;
        }
        return (double) rows / Math.max(1, table.stats().rowCount());
    }

    private synchronized Place place(Table table, int column) {
        Place place = places.getOrDefault(table, Map.of()).get(column);
        if (place != null && place.encoding != null) {
            kept.get(place.encoding); // it was used
        }
        return place;
    }

    /// Keeps an encoding, or that there is none; those used longest ago make room.
    synchronized void keep(Table table, TextEncoding made) {
        Place place = new Place();
        Place before = places.computeIfAbsent(table, _ -> new HashMap<>()).put(made.column(), place);
        if (before != null && before.encoding != null) {
            keptBytes -= before.encoding.bytes();
            kept.remove(before.encoding);
        }
        if (made.isRefused()) {
            return;
        }
        place.encoding = made;
        kept.put(made, place);
        keptBytes += made.bytes();
        while (keptBytes > config.columnCacheBytes()) {
            TextEncoding oldest = kept.keySet().iterator().next();
            keptBytes -= oldest.bytes();
            Place forgotten = kept.remove(oldest);
            places.values().forEach(columns -> columns.values().remove(forgotten));
        }
    }
}
