package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.ElementFields;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/// A table whose files are being opened while others are used already. Whatever is asked of it but its name is answered
/// once they are open.
final class OpeningTable implements Table {
    private static final long PAUSE_MILLIS = 2;

    private final String schemaName;
    private final String name;
    private final CompletableFuture<? extends Table> opened;

    OpeningTable(String schemaName, String name, CompletableFuture<? extends Table> opened) {
        this.schemaName = schemaName;
        this.name = name;
        this.opened = opened;
    }

    /// The table, as soon as it is there.
    Table opened() {
        return opened.join();
    }

    @Override
    public String schemaName() {
        return schemaName;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long storedBytes() {
        return opened().storedBytes();
    }

    @Override
    public int hiddenColumns() {
        return opened().hiddenColumns();
    }

    @Override
    public ForeignTable foreign() {
        return opened().foreign();
    }

    @Override
    public int fileCount() {
        return opened().fileCount();
    }

    @Override
    public int fileOf(int batch) {
        return opened().fileOf(batch);
    }

    @Override
    public long fileBytes(int file) {
        return opened().fileBytes(file);
    }

    @Override
    public String fileName(int file) {
        return opened().fileName(file);
    }

    @Override
    public boolean isOpen() {
        return opened.isDone();
    }

    @Override
    public void awaitOpen(Runnable check) {
        while (!opened.isDone()) {
            check.run();
            try {
                opened.get(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException _) {
                // Not yet.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return; // whoever asks on waits without being interrupted
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    @Override
    public Schema schema() {
        return opened().schema();
    }

    @Override
    public TableStats stats() {
        return opened().stats();
    }

    @Override
    public List<Integer> sortedBy() {
        return opened().sortedBy();
    }

    @Override
    public List<UniqueKey> uniqueKeys() {
        return opened().uniqueKeys();
    }

    @Override
    public List<ColumnDefault> defaults() {
        return opened().defaults();
    }

    @Override
    public int batchCount() {
        return opened().batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return opened().batchRows(batch);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        return opened().batchStats(batch, column);
    }

    @Override
    public QueryException fault() {
        return opened().fault();
    }

    @Override
    public Dictionary dictionary(int column) {
        return opened().dictionary(column);
    }

    @Override
    public long textBytes(int column) {
        return opened().textBytes(column);
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        return opened().readBytes(batch, columns);
    }

    @Override
    public Table elements(String column, boolean isOuter) {
        return opened().elements(column, isOuter);
    }

    @Override
    public ElementFields elementFields(String column) {
        return opened().elementFields(column);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        return opened().read(batch, columns);
    }

    @Override
    public void preload(BooleanSupplier goesOn) {
        if (isOpen()) {
            opened().preload(goesOn);
        }
    }

    @Override
    public void checkIntact(int batch) {
        opened().checkIntact(batch);
    }

    /// Nobody can have read of a table that is not open.
    @Override
    public QueryException faultOf(InternalError error) {
        return isOpen() ? opened().faultOf(error) : null;
    }
}
