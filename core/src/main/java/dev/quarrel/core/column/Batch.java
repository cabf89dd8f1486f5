package dev.quarrel.core.column;

import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/// A batch of some thousand rows, stored column by column, with the right to free their memory.
///
/// - Memory: a batch has exactly one owner, who closes it; closing runs `release` once. Columns taken from a batch are
///   views that die with it. A batch given to another component (`transfer` in the receiving method's name) is closed
///   by that component, also when it fails. When a batch crosses devices the *receiving* device copies what it needs
///   and closes it: so the giver's memory lives exactly until the copy is done.
public final class Batch implements AutoCloseable {
    private static final Runnable NOTHING = () -> {};

    private final Schema schema;
    private final List<Column> columns;
    private final NarrowColumn[] narrow; // null where there is none at all
    private final NestedColumn[] nested; // null where there is none at all
    private final int rowCount;
    private final AtomicReference<Runnable> release;

    private Batch(
            Schema schema,
            List<Column> columns,
            NarrowColumn[] narrow,
            NestedColumn[] nested,
            int rowCount,
            Runnable release) {
        if (schema.size() != columns.size()) {
            throw new IllegalArgumentException(columns.size() + " columns for " + schema);
        }
        for (int index = 0; index < columns.size(); index++) {
            if (!(columns instanceof LazyColumns lazy) || lazy.isMade(index)) {
                requireFit(columns.get(index), index, schema, rowCount);
            }
        }
        this.schema = schema;
        this.columns = columns instanceof LazyColumns ? columns : List.copyOf(columns);
        this.narrow = narrow;
        this.nested = nested;
        this.rowCount = rowCount;
        this.release = new AtomicReference<>(release);
    }

    static void requireFit(Column column, int index, Schema schema, int rowCount) {
        if (column.rowCount() != rowCount || !column.type().equals(schema.type(index))) {
            throw new IllegalArgumentException("column " + schema.field(index) + " is " + column.type() + " of "
                    + column.rowCount() + " rows in a batch of " + rowCount);
        }
    }

    /// A batch that frees its memory by `release` when it is closed.
    public static Batch owning(Schema schema, List<Column> columns, int rowCount, Runnable release) {
        return new Batch(schema, columns, null, null, rowCount, release);
    }

    /// A batch of which some columns are made when they are first asked for: those that take time or memory, and that
    /// nobody may need.
    ///
    /// @param made null in the places of those; a list that may have it
    /// @param maker makes the column of a place, by one thread at a time; what it throws is whoever's that asks
    public static Batch lazy(
            Schema schema, List<Column> made, IntFunction<Column> maker, int rowCount, Runnable release) {
        return made.contains(null)
                ? owning(schema, new LazyColumns(schema, made, maker, rowCount), rowCount, release)
                : owning(schema, made, rowCount, release);
    }

    /// A batch over memory that somebody else keeps alive; closing it does nothing.
    public static Batch view(Schema schema, List<Column> columns, int rowCount) {
        return new Batch(schema, columns, null, null, rowCount, NOTHING);
    }

    /// The same rows, of which some columns can also be read in fewer bytes; it owns what `plain` owned.
    ///
    /// @param narrow by column, null for those that cannot
    public static Batch narrowed(Batch plain, NarrowColumn[] narrow) {
        return new Batch(plain.schema, plain.columns, narrow, plain.nested, plain.rowCount, plain::close);
    }

    /// The same rows, of which some columns can also be had taken apart; it owns what `plain` owned. Where one can,
    /// `plain` may have empty texts in place of the values' own, NULL where these are: it is for writers of files.
    ///
    /// - Errors: IllegalArgumentException for a column of other rows.
    ///
    /// @param nested by column, null for those that cannot
    public static Batch nested(Batch plain, NestedColumn[] nested) {
        for (NestedColumn column : nested) {
            if (column != null && column.rowCount() != plain.rowCount) {
                throw new IllegalArgumentException(column.rowCount() + " rows in a batch of " + plain.rowCount);
            }
        }
        return new Batch(plain.schema, plain.columns, plain.narrow, nested, plain.rowCount, plain::close);
    }

    /// The same batch with something more to do when it is closed, after it has freed its memory.
    public Batch andThen(Runnable more) {
        return new Batch(schema, columns, narrow, nested, rowCount, () -> {
            close();
            more.run();
        });
    }

    public Schema schema() {
        return schema;
    }

    public List<Column> columns() {
        return columns;
    }

    public Column column(int index) {
        return columns.get(index);
    }

    /// Whether a column has been made; others than those of [#lazy] have from the beginning.
    public boolean isMade(int index) {
        return !(columns instanceof LazyColumns lazy) || lazy.isMade(index);
    }

    /// A column that has been made, or null: for a batch of [#lazy] over this one.
    public Column made(int index) {
        return isMade(index) ? columns.get(index) : null;
    }

    /// A column's values in fewer bytes, or null.
    public NarrowColumn narrow(int index) {
        return narrow == null ? null : narrow[index];
    }

    /// A column's lists or structs, or null.
    public NestedColumn nested(int index) {
        return nested == null ? null : nested[index];
    }

    public int rowCount() {
        return rowCount;
    }

    /// Frees the memory; a second call does nothing.
    @Override
    public void close() {
        Runnable once = release.getAndSet(NOTHING);
        once.run();
    }
}
