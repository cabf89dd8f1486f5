package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.NarrowColumn;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// A table of which some columns are read in an encoded form: plain text as codes, integers in fewer bytes.
///
/// @param encodings by the table's column
public record EncodedTable(Table table, Map<Integer, ColumnEncoding> encodings) implements Table {
    public EncodedTable {
        encodings = Map.copyOf(encodings);
    }

    @Override
    public String schemaName() {
        return table.schemaName();
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public Schema schema() {
        return table.schema();
    }

    @Override
    public TableStats stats() {
        return table.stats();
    }

    @Override
    public List<Integer> sortedBy() {
        return table.sortedBy();
    }

    @Override
    public int batchCount() {
        return table.batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return table.batchRows(batch);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        return table.batchStats(batch, column);
    }

    @Override
    public QueryException fault() {
        return table.fault();
    }

    @Override
    public Dictionary dictionary(int column) {
        return encodings.get(column) instanceof TextEncoding texts ? texts.dictionary() : table.dictionary(column);
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        return table.readBytes(batch, plain(columns));
    }

    /// Those that are read from the table. Loops, not streams: this is done for each batch, and its compilation takes
    /// the core from the first queries.
    private int[] plain(int[] columns) {
        int[] plain = new int[columns.length];
        int count = 0;
        for (int column : columns) {
            if (!(encodings.get(column) instanceof TextEncoding)) {
                plain[count++] = column;
            }
        }
        return Arrays.copyOf(plain, count);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        Batch plain = table.read(batch, plain(columns));
        List<Field> fields = new ArrayList<>(columns.length);
        List<Column> views = new ArrayList<>(columns.length);
        NarrowColumn[] narrow = new NarrowColumn[columns.length];
        int[] places = new int[columns.length];
        int next = 0;
        for (int index = 0; index < columns.length; index++) {
            fields.add(schema().field(columns[index]));
            if (encodings.get(columns[index]) instanceof TextEncoding texts) {
                views.add(texts.read(batch, plain.rowCount()));
                continue;
            }
            places[index] = next++;
            views.add(plain.made(places[index]));
            if (encodings.get(columns[index]) instanceof NarrowEncoding integers) {
                narrow[index] = integers.read(batch, plain.rowCount());
            }
        }
        Batch all = Batch.lazy(
                new Schema(fields), views, place -> plain.column(places[place]), plain.rowCount(), plain::close);
        return Batch.narrowed(all, narrow);
    }

    @Override
    public void checkIntact(int batch) {
        table.checkIntact(batch);
    }

    @Override
    public QueryException faultOf(InternalError error) {
        return table.faultOf(error);
    }
}
