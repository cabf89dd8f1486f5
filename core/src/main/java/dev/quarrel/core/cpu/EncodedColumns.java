package dev.quarrel.core.cpu;

import dev.quarrel.core.cpu.encoded.ColumnEncoding;
import dev.quarrel.core.cpu.encoded.EncodedContext;
import dev.quarrel.core.cpu.encoded.EncodedTable;
import dev.quarrel.core.cpu.encoded.NarrowEncoding;
import dev.quarrel.core.cpu.encoded.TextEncoding;
import dev.quarrel.core.cpu.loop.FlatPipeline;
import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.loop.FlatPipeline.Stage;
import dev.quarrel.core.cpu.rows.SharedTexts;
import dev.quarrel.core.cpu.scan.BatchRanges;
import dev.quarrel.core.cpu.scan.RowSource;
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
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;

/// Columns kept in forms that are quicker to read, beside the files.
///
/// - Plain text of few values is kept as codes from the first query on that groups by it, or compares it in order to
///   aggregate or to build a join's table: what runs over a dictionary's codes then runs over them too.
/// - Integers and decimals that statistics say are small are kept in fewer bytes from the second query on that
///   aggregates the table by way of them, while there is room. They make no room for themselves: who scans more than
///   fits would encode anew with each query.
/// - Threads share it.
final class EncodedColumns {
    /// Tables below it are read as quickly as they are encoded.
    private static final long MIN_ROWS = 50_000;
    /// Rows a value, at least, by statistics.
    private static final int MIN_ROWS_A_VALUE = 16;
    /// Queries that use a column before integers of it are kept; the first one had better be answered soon.
    private static final int NARROW_USES = 2;
    /// A scan that statistics narrow to a smaller share does not pay for the whole column.
    private static final double MIN_SHARE = 0.25;

    private static final Set<JoinKind> STAYING = Set.of(JoinKind.INNER, JoinKind.SEMI, JoinKind.ANTI);

    private final DeviceConfig config;
    private final Map<Table, Map<Integer, Place>> places = new WeakHashMap<>(); // guarded by this
    private final LinkedHashMap<ColumnEncoding, Place> kept = new LinkedHashMap<>(16, 0.75f, true); // guarded by this
    private long keptBytes; // guarded by this

    /// What is known of a column. Guarded by the EncodedColumns.
    private static final class Place {
        private ColumnEncoding encoding; // null where there is none yet, or none at all
        private boolean isRefused;
        private boolean isBeingMade; // by some query; others do without
        private int uses;
    }

    EncodedColumns(DeviceConfig config) {
        this.config = config;
    }

    /// The pipeline ready to run, if need be after a pass that encodes columns.
    PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        if (config.columnCacheBytes() == 0
                || config.tier() == DeviceConfig.Tier.INTERPRETED
                || !(pipeline.sink() instanceof Sink.Aggregate || pipeline.sink() instanceof Sink.HashBuild)
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
        Map<Integer, ColumnEncoding> known = new HashMap<>();
        List<Supplier<ColumnEncoding>> wanted = new ArrayList<>();
        boolean isAggregate = pipeline.sink() instanceof Sink.Aggregate;
        Set<Integer> texts = wantedTexts(pipeline, scan, table, columns, context);
        for (int input = 0; input < columns.length; input++) {
            int column = columns[input];
            boolean isText = texts.contains(input);
            if (!isText && scan.types().get(input) instanceof DataType.Utf8) {
                continue;
            }
            ColumnEncoding encoding = encoding(table, column);
            if (encoding != null) {
                known.put(column, encoding);
            } else if (!isFree(table, column)) {
                continue;
            } else if (isText && isWorthIt(table, column)) {
                wanted.add(() -> claim(table, column, 1) ? new TextEncoding(table, column) : null);
            } else if (!isText && isAggregate && NarrowEncoding.bytes(table, column) >= 0) {
                wanted.add(() -> claimNarrow(table, column) ? NarrowEncoding.of(table, column) : null);
            }
        }
        List<ColumnEncoding> missing = List.of();
        if (!wanted.isEmpty() && canMatch(pipeline, context) && admitted(pipeline, scan, table, context) >= MIN_SHARE) {
            missing =
                    wanted.stream().map(Supplier::get).filter(Objects::nonNull).toList();
        }
        return missing.isEmpty()
                ? prepared(plan, pipeline, context, table, known)
                : new EncodingPipeline(this, plan, pipeline, context, config, table, known, missing);
    }

    /// The pipeline over the table with what is encoded of it.
    PreparedPipeline prepared(
            QueryPlan plan,
            Pipeline pipeline,
            PipelineContext context,
            Table table,
            Map<Integer, ColumnEncoding> known) {
        PipelineContext encoded =
                known.isEmpty() ? context : new EncodedContext(context, new EncodedTable(table, known));
        return CpuPipeline.of(plan, pipeline, encoded, config);
    }

    /// Inputs of plain text that are grouped by, or that conditions of their own are on.
    private static Set<Integer> wantedTexts(
            Pipeline pipeline, Source.TableScan scan, Table table, int[] columns, PipelineContext context) {
        Set<Integer> wanted = new LinkedHashSet<>();
        boolean hasText = false;
        for (int input = 0; input < columns.length; input++) {
            hasText |= isPlainText(scan, table, columns, input);
        }
        for (Join join : pipeline.joins()) {
            hasText &= join.conditions().isEmpty() && join.nearest() == null && STAYING.contains(join.kind());
        }
        if (!hasText) {
            return wanted;
        }
        FlatPipeline flat = FlatPipeline.of(pipeline, List.of(), context.slotValues());
        List<Integer> keys = pipeline.sink() instanceof Sink.Aggregate sink ? sink.keys() : List.of();
        for (int key : keys) {
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

    /// A column's encoding, or null; it counts as used.
    private synchronized ColumnEncoding encoding(Table table, int column) {
        Place place = place(table, column);
        if (place != null && place.encoding != null) {
            kept.get(place.encoding);
            return place.encoding;
        }
        return null;
    }

    /// Whether the column may be encoded.
    private synchronized boolean isFree(Table table, int column) {
        Place place = place(table, column);
        return place == null || !place.isRefused && !place.isBeingMade;
    }

    private Place place(Table table, int column) {
        return places.getOrDefault(table, Map.of()).get(column);
    }

    /// Takes it upon the query to encode a column, if it has been used often enough and nobody else does.
    private synchronized boolean claim(Table table, int column, int uses) {
        Place place = places.computeIfAbsent(table, _ -> new HashMap<>()).computeIfAbsent(column, _ -> new Place());
        place.uses++;
        boolean isDue = place.uses >= uses && place.encoding == null && !place.isRefused && !place.isBeingMade;
        place.isBeingMade |= isDue;
        return isDue;
    }

    private synchronized boolean claimNarrow(Table table, int column) {
        boolean hasRoom = keptBytes + NarrowEncoding.bytes(table, column) <= config.columnCacheBytes();
        return hasRoom && claim(table, column, config.tier() == DeviceConfig.Tier.COMPILED ? 1 : NARROW_USES);
    }

    /// Gives up columns that a query was to encode.
    synchronized void abandon(Table table, List<ColumnEncoding> unmade) {
        for (ColumnEncoding encoding : unmade) {
            place(table, encoding.column()).isBeingMade = false;
        }
    }

    /// Keeps an encoding, or that there is none; those used longest ago make room.
    synchronized void keep(Table table, ColumnEncoding made) {
        Place place = place(table, made.column());
        place.isBeingMade = false;
        if (made.isRefused()) {
            place.isRefused = true;
            return;
        }
        place.encoding = made;
        kept.put(made, place);
        keptBytes += made.bytes();
        while (keptBytes > config.columnCacheBytes()) {
            ColumnEncoding oldest = kept.keySet().iterator().next();
            keptBytes -= oldest.bytes();
            kept.remove(oldest).encoding = null;
        }
    }
}
