package dev.quarrel.cli.imports.json;

import dev.quarrel.cli.imports.ImportSource;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.budget.Awaited;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// The rows of a JSON file, a batch for each block of its scanner. One thread finds where rows begin and end, others
/// parse them.
///
/// - Errors: that of the first wrong row, whatever was read ahead.
final class JsonSource implements ImportSource {
    private static final int BATCH_ROWS = 1 << 16;

    private final JsonObjects scanner;
    private final SequencedMap<String, JsonFormat.Column> columns;
    private final Schema schema;
    private final Map<String, NestedType> nested = new HashMap<>();
    private final Executor threads;
    private final int ahead;
    private final Misfits misfits;
    private final Deque<CompletableFuture<Parsed>> underWay = new ArrayDeque<>();

    /// Hears of a row that has what is of no column, or not of its column's type.
    @FunctionalInterface
    interface Misfits {
        void accept(long line) throws IOException;
    }

    /// The rows of a block.
    ///
    /// @param batch null where they failed, and where there are none
    /// @param failure null where there is none
    /// @param misfit the line of a row that has something else than the columns; 0 for none
    private record Parsed(Batch batch, QueryException failure, long misfit) {}

    /// @param scanner closed with it
    JsonSource(
            JsonObjects scanner,
            SequencedMap<String, JsonFormat.Column> columns,
            Executor threads,
            int threadCount,
            Misfits misfits) {
        this.scanner = scanner;
        this.columns = columns;
        this.threads = threads;
        this.ahead = threadCount + 1;
        this.misfits = misfits;
        this.schema = new Schema(
                columns.values().stream().map(JsonFormat.Column::field).toList());
        columns.forEach((name, column) -> {
            if (!(column.type() instanceof NestedType.Leaf)) {
                nested.put(name, column.type());
            }
        });
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Map<String, NestedType> nested() {
        return Map.copyOf(nested);
    }

    @Override
    public Batch next() throws IOException {
        while (true) {
            readOn();
            if (underWay.isEmpty()) {
                return null;
            }
            Parsed parsed = Awaited.of(underWay.removeFirst());
            if (parsed.misfit() > 0) {
                misfits.accept(parsed.misfit());
            }
            if (parsed.failure() != null) {
                throw parsed.failure();
            }
            if (parsed.batch() != null) {
                return parsed.batch();
            }
        }
    }

    private void readOn() throws IOException {
        while (underWay.size() < ahead) {
            JsonBlock block = scanner.next(BATCH_ROWS);
            if (block == null) {
                return;
            }
            underWay.add(CompletableFuture.supplyAsync(() -> parsed(block), threads));
        }
    }

    private Parsed parsed(JsonBlock block) {
        PooledMemory memory = new PooledMemory();
        boolean isDone = false;
        try {
            Batch batch = batch(block, memory);
            if (block.rows().fault() != null) {
                return new Parsed(null, block.rows().fault(), 0);
            }
            scanner.giveBack(block);
            isDone = true;
            return new Parsed(batch, null, 0);
        } catch (RowFailure failure) {
            QueryException wrong = failure.error();
            return new Parsed(
                    null,
                    wrong.context() == null ? block.located(wrong, failure.row()) : wrong,
                    failure.isMisfit() ? block.rows().line(failure.row()) : 0);
        } finally {
            if (!isDone) {
                memory.close();
            }
        }
    }

    /// All rows of a block.
    ///
    /// - Errors: [RowFailure] of the first row that fails.
    private Batch batch(JsonBlock block, PooledMemory memory) {
        List<JsonColumn> values = new ArrayList<>();
        columns.values().forEach(column -> values.add(values(column)));
        JsonMembers members = new JsonMembers(List.copyOf(columns.keySet()), values);
        RowFailure failure = null;
        int rows = 0;
        while (rows < block.rows().count() && failure == null) {
            block.begin(rows);
            try {
                block.scanner().begin(0);
                members.append(rows, block);
                block.scanner().requireEnd();
                rows++;
            } catch (RowFailure failed) {
                failure = failed;
            } catch (QueryException wrong) {
                failure = RowFailure.of(rows, wrong);
            }
        }
        // What a row before says may be wrong, too.
        List<NestedColumn> made = new ArrayList<>();
        for (JsonColumn column : values) {
            column.truncate(rows);
            try {
                made.add(column.finish(rows, block, memory));
            } catch (RowFailure earlier) {
                failure = failure == null || earlier.row() < failure.row() ? earlier : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return batch(made, rows, memory);
    }

    private static JsonColumn values(JsonFormat.Column column) {
        return column.type() instanceof NestedType.Leaf
                ? new JsonValues(
                        PgType.Declared.held(column.field()), column.field().nullable(), !column.isKnown(), false)
                : JsonColumn.of(column.type(), false);
    }

    private Batch batch(List<NestedColumn> values, int count, PooledMemory memory) {
        List<Column> made = new ArrayList<>();
        NestedColumn[] takenApart = new NestedColumn[schema.size()];
        for (NestedColumn column : values) {
            if (column instanceof NestedColumn.Values(Column plain)) {
                made.add(plain);
            } else {
                takenApart[made.size()] = column;
                made.add(NullColumn.textsFor(column, memory));
            }
        }
        Batch batch = Batch.owning(schema, made, count, memory::close);
        return nested.isEmpty() ? batch : Batch.nested(batch, takenApart);
    }

    @Override
    public void close() throws IOException {
        for (CompletableFuture<Parsed> each : underWay) {
            Parsed parsed = each.handle((done, _) -> done).join();
            if (parsed != null && parsed.batch() != null) {
                parsed.batch().close();
            }
        }
        underWay.clear();
        scanner.close();
    }
}
