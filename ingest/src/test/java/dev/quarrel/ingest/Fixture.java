package dev.quarrel.ingest;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.ingest.catalog.IngestCatalog;
import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.net.Receiver;
import dev.quarrel.ingest.net.ReceiverConfig;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Events taken by real sockets into a real folder, and read as statements read them.
final class Fixture implements AutoCloseable {
    final Ingest ingest;
    final IngestCatalog catalog;
    final Receiver receiver;

    Fixture(Path root) throws IOException {
        this(IngestConfig.of(root));
    }

    Fixture(IngestConfig config) throws IOException {
        this(config, null, null, null);
    }

    Fixture(IngestConfig config, String key, Path certificate, Path privateKey) throws IOException {
        ingest = Ingest.open(config);
        catalog = ingest.catalog(DatasetCatalog.open(config.root()));
        receiver = Receiver.start(
                new ReceiverConfig(
                        loopback(),
                        loopback(),
                        Routes.of(List.of("app.**=logs")),
                        key,
                        certificate,
                        privateKey,
                        16 << 20,
                        100),
                ingest.intake());
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    ForwardClient client() throws IOException {
        return new ForwardClient(receiver.forwardAddress());
    }

    /// Waits for what is not acknowledged.
    void awaitEvents(long count) throws InterruptedException {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (ingest.counts().events() < count && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
    }

    List<String> rows(String table, String... columns) {
        return rows(catalog, table, columns);
    }

    static List<String> rows(Catalog catalog, String table, String... columns) {
        try (CatalogSnapshot snapshot = catalog.snapshot()) {
            Table found = snapshot.table("public", table);
            if (found == null) {
                return List.of();
            }
            found.awaitOpen(() -> {});
            if (found.fault() != null) {
                throw found.fault();
            }
            int[] indexes = new int[columns.length];
            for (int index = 0; index < columns.length; index++) {
                indexes[index] = found.schema().indexOf(columns[index]);
                if (indexes[index] < 0) {
                    throw new AssertionError("no column " + columns[index] + " in " + found.schema());
                }
            }
            List<String> rows = new ArrayList<>();
            for (int batch = 0; batch < found.batchCount(); batch++) {
                try (Batch read = found.read(batch, indexes)) {
                    for (int row = 0; row < read.rowCount(); row++) {
                        List<String> values = new ArrayList<>();
                        for (Column column : read.columns()) {
                            values.add(text(column, row));
                        }
                        rows.add(String.join("|", values));
                    }
                }
            }
            if (rows.size() != found.stats().rowCount()) {
                throw new AssertionError(
                        rows.size() + " rows of " + found.stats().rowCount());
            }
            return rows;
        }
    }

    static String text(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return "-";
        }
        return switch (column) {
            case BoolColumn bool ->
                (bool.bits().get(ValueLayout.JAVA_BYTE, row >> 3) >> (row & 7) & 1) == 1 ? "t" : "f";
            case Utf8Column utf8
            when utf8.type() instanceof DataType.Binary ->
                "\\x" + HexFormat.of().formatHex(utf8.bytes(row).toArray(ValueLayout.JAVA_BYTE));
            case Utf8Column utf8 -> new String(utf8.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            case FixedColumn fixed ->
                switch (fixed.type()) {
                    case DataType.Float64 _ ->
                        Double.toString(fixed.values().get(ValueLayout.JAVA_DOUBLE_UNALIGNED, row * 8L));
                    case DataType.Int32 _ ->
                        Integer.toString(fixed.values().get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L));
                    case DataType.Int16 _ ->
                        Short.toString(fixed.values().get(ValueLayout.JAVA_SHORT_UNALIGNED, row * 2L));
                    case DataType.Date _ ->
                        LocalDate.ofEpochDay(fixed.values().get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L))
                                .toString();
                    case DataType.Timestamp _ -> {
                        long micros = fixed.values().get(ValueLayout.JAVA_LONG_UNALIGNED, row * 8L);
                        yield Instant.ofEpochSecond(
                                        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000)
                                .toString();
                    }
                    default -> Long.toString(fixed.values().get(ValueLayout.JAVA_LONG_UNALIGNED, row * 8L));
                };
            default -> throw new AssertionError(column.getClass());
        };
    }

    @Override
    public void close() {
        receiver.close();
        catalog.close();
        ingest.close();
    }
}
