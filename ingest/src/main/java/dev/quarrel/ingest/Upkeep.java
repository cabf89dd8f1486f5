package dev.quarrel.ingest;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.FileMerge;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.ingest.table.FrozenRows;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Merges small files of events of one hour, and drops those of days that are too old: each a run of the dataset, which
/// readers see as a whole.
///
/// Files of other runs than ours are left alone.
final class Upkeep {
    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
    private static final String SOURCE = Checkpoint.source("merged");
    private static final int ENOUGH_FILES = 8;

    private final IngestConfig config;
    private final IngestCounts counts;

    Upkeep(IngestConfig config, IngestCounts counts) {
        this.config = config;
        this.counts = counts;
    }

    private record Hour(String schemaName, String tableName, Map<String, String> keys) {}

    /// Does what there is to do.
    ///
    /// @param mustStop asked between files
    void run(BooleanSupplier mustStop) {
        Manifest manifest = Manifest.read(config.root());
        if (manifest == null) {
            return;
        }
        if (config.retention() != null) {
            drop(manifest, Instant.now());
        }
        if (config.mergeBytes() > 0) {
            for (Map.Entry<Hour, List<Manifest.FileEntry>> hour :
                    hours(manifest).entrySet()) {
                if (mustStop.getAsBoolean()) {
                    return;
                }
                List<Manifest.FileEntry> small = small(hour.getKey(), hour.getValue());
                if (small.size() > 1) {
                    merge(hour.getKey(), small, mustStop);
                }
            }
        }
    }

    private static Set<Integer> ourRuns(Manifest manifest) {
        String prefix = Checkpoint.source("");
        return manifest.runs().stream()
                .filter(run ->
                        run.origin().source() != null && run.origin().source().startsWith(prefix))
                .map(Manifest.Run::id)
                .collect(Collectors.toSet());
    }

    private static Map<Hour, List<Manifest.FileEntry>> hours(Manifest manifest) {
        Set<Integer> ours = ourRuns(manifest);
        Map<Hour, List<Manifest.FileEntry>> hours = new LinkedHashMap<>();
        for (Manifest.TableEntry table : manifest.tables()) {
            for (Manifest.FileEntry file : table.files()) {
                if (ours.contains(file.run()) && file.keys().containsKey("day")) {
                    hours.computeIfAbsent(
                                    new Hour(table.schemaName(), table.name(), file.keys()), _ -> new ArrayList<>())
                            .add(file);
                }
            }
        }
        return hours;
    }

    /// The files of an hour to merge: some, or all that are small once no more come.
    private List<Manifest.FileEntry> small(Hour hour, List<Manifest.FileEntry> files) {
        List<Manifest.FileEntry> small = new ArrayList<>();
        long bytes = 0;
        for (Manifest.FileEntry file : files) {
            if (file.bytes() < config.mergeBytes() && bytes + file.bytes() <= 2 * config.mergeBytes()) {
                small.add(file);
                bytes += file.bytes();
            }
        }
        return small.size() >= ENOUGH_FILES || isOver(hour) ? small : List.of();
    }

    private boolean isOver(Hour hour) {
        try {
            Instant end = LocalDate.parse(hour.keys().get("day"))
                    .atTime(Integer.parseInt(hour.keys().get("hour")), 0)
                    .plusHours(1)
                    .toInstant(ZoneOffset.UTC);
            return Instant.now().isAfter(end.plus(config.closeAfter().multipliedBy(2)));
        } catch (DateTimeParseException | NumberFormatException | NullPointerException _) {
            return false; // not of ours
        }
    }

    private void merge(Hour hour, List<Manifest.FileEntry> entries, BooleanSupplier mustStop) {
        long start = System.nanoTime();
        List<ArrowFile> files = new ArrayList<>();
        long rows = 0;
        try (DatasetWriter run = DatasetWriter.begin(config.root(), DatasetWriter.Mode.APPEND, SOURCE)) {
            for (Manifest.FileEntry entry : entries) {
                files.add(ArrowFile.openRun(config.root().resolve(entry.path()), entry.bytes()));
            }
            try (ArrowTable table = ArrowTable.of(hour.schemaName(), hour.tableName(), files);
                    ArrowFileWriter out = run.create(
                            hour.schemaName(),
                            hour.tableName(),
                            hour.keys(),
                            table.shownSchema(),
                            WriteOptions.PLAIN)) {
                if (!FileMerge.copy(table, out::append, mustStop)) {
                    return;
                }
                rows = table.stats().rowCount();
                run.add(hour.schemaName(), hour.tableName(), hour.keys(), FrozenRows.KEYS, out.finish());
            }
            run.withdraw(
                    hour.schemaName(),
                    hour.tableName(),
                    entries.stream().map(Manifest.FileEntry::path).collect(Collectors.toSet()));
            run.commit(null, null);
            counts.merged.add(entries.size());
        } finally {
            files.forEach(ArrowFile::close);
        }
        LOG.debug(
                "ingest.merged table={} files={} rows={} elapsed_ms={}",
                hour.tableName(),
                entries.size(),
                rows,
                (System.nanoTime() - start) / 1_000_000);
    }

    private void drop(Manifest manifest, Instant now) {
        String oldest = now.minus(config.retention())
                .atOffset(ZoneOffset.UTC)
                .toLocalDate()
                .toString();
        Map<Hour, List<Manifest.FileEntry>> hours = hours(manifest);
        Map<String, Set<String>> old = new LinkedHashMap<>();
        String schema = null;
        for (Map.Entry<Hour, List<Manifest.FileEntry>> hour : hours.entrySet()) {
            String day = hour.getKey().keys().get("day");
            if (day != null && day.length() == oldest.length() && day.compareTo(oldest) < 0) {
                schema = hour.getKey().schemaName();
                hour.getValue()
                        .forEach(file -> old.computeIfAbsent(hour.getKey().tableName(), _ -> new HashSet<>())
                                .add(file.path()));
            }
        }
        if (old.isEmpty()) {
            return;
        }
        try (DatasetWriter run = DatasetWriter.begin(config.root(), DatasetWriter.Mode.APPEND, SOURCE)) {
            for (Map.Entry<String, Set<String>> table : old.entrySet()) {
                run.withdraw(schema, table.getKey(), table.getValue());
            }
            run.commit(null, null);
        }
        old.values().forEach(files -> counts.dropped.add(files.size()));
        LOG.info("ingest.dropped before={} files={}", oldest, counts.droppedFiles());
    }
}
