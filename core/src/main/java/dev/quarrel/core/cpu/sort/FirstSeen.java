package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// What a worker keeps of a window's rows where the first one of each partition is wanted, in an order in which the
/// table's rows stand: the first row that it sees of each, reading from the table's start, or for a descending order
/// from its end. Once it has seen all partitions that there can be, it looks at no further row.
public final class FirstSeen {
    private static final int MANY_PARTITIONS = 1 << 20;

    private final Order order;
    private final int[] partition; // outputs
    private final KeyIndex index;
    private final KeyScratch scratch;
    private final Vector[] keys;
    private final int[] places; // by new partition of the tile: its row
    private final Mask unseen;
    private long rowsSeen;
    private boolean isOff;

    /// How a window's rows stand in the table.
    ///
    /// @param isBackwards whether the table's end comes first
    /// @param partitionCount how many partitions there are at most; -1 where that is unknown
    public record Order(boolean isBackwards, int partitionCount) {
        /// null where more than the first rows are wanted, or in another order than the table's. Behind a join the
        /// pairs of one tile may come in several, which are not turned round.
        ///
        /// @param table of the pipeline's scan, each of whose rows stands alone
        public static Order of(Pipeline pipeline, Sink.Window window, Table table) {
            if (window.first().rows() != 1
                    || window.first().withPeers()
                    || window.order().size() != 1
                    || !pipeline.joins().isEmpty()
                    || canFail(pipeline)) {
                return null;
            }
            SortKey key = window.order().getFirst();
            int column = column(pipeline, key.output(), table);
            if (!table.sortedBy().contains(column) || table.mayHaveNulls(column)) {
                return null;
            }
            return new Order(key.descending(), partitionCount(pipeline, window, table));
        }

        private static boolean canFail(Pipeline pipeline) {
            return pipeline.programs().stream()
                    .flatMap(program -> program.code().stream())
                    .anyMatch(instruction -> instruction.canFail() || instruction.op() == Opcode.CAST);
        }

        private static int column(Pipeline pipeline, int output, Table table) {
            int input = pipeline.sourceColumn(pipeline.programs().size() - 1, output);
            return input < 0 ? -1 : RowSource.columns((Source.TableScan) pipeline.source(), table)[input];
        }

        /// Of one column: the entries of its dictionary, or the integers between its least and its greatest.
        private static int partitionCount(Pipeline pipeline, Sink.Window window, Table table) {
            int column = window.partition().size() == 1
                    ? column(pipeline, window.partition().getFirst(), table)
                    : -1;
            if (column < 0 || table.mayHaveNulls(column)) {
                return -1;
            }
            if (table.dictionary(column) != null) {
                return table.dictionary(column).size();
            }
            ColumnStats stats = table.stats().columns().get(column);
            if (stats.min() instanceof Long min && stats.max() instanceof Long max) {
                long count = max - min + 1;
                return count > 0 && count <= MANY_PARTITIONS ? (int) count : -1;
            }
            return -1;
        }
    }

    FirstSeen(Order order, Sink.Window window, List<DataType> types, int tileRows, Reservation reservation) {
        this.order = order;
        this.partition = window.partition().stream().mapToInt(Integer::intValue).toArray();
        List<DataType> keyTypes = Arrays.stream(partition).mapToObj(types::get).toList();
        this.index = new KeyIndex(keyTypes, reservation, MANY_PARTITIONS);
        this.scratch = new KeyScratch(partition.length, tileRows);
        this.keys = new Vector[partition.length];
        this.places = new int[tileRows];
        this.unseen = new Mask(tileRows);
    }

    boolean isBackwards() {
        return order.isBackwards;
    }

    /// Whether all partitions have been seen.
    boolean isComplete() {
        return index.size() == order.partitionCount;
    }

    /// The rows of a tile that are the first of their partition.
    Mask unseen(TileOutputs outputs, Mask selected) {
        if (isOff || selected.isEmpty()) {
            return selected;
        }
        for (int key = 0; key < keys.length; key++) {
            keys[key] = outputs.get(partition[key], selected);
        }
        int known = index.size();
        index.assign(keys, selected, scratch);
        rowsSeen += selected.count();
        // Where nearly each row has a partition of its own, looking for it does not pay.
        isOff = index.size() > MANY_PARTITIONS && index.size() > rowsSeen / 2;
        int count = index.size() - known;
        int[] indexes = selected.indexes();
        if (order.isBackwards && count > 0) {
            for (int place = 0; place < selected.count(); place++) {
                int number = scratch.ids[place] - known;
                if (number >= 0) {
                    places[number] = indexes[place];
                }
            }
            Arrays.sort(places, 0, count);
        } else {
            for (int number = 0; number < count; number++) {
                places[number] = indexes[scratch.newAt[number]];
            }
        }
        unseen.setIndexes(places, count, selected.rowCount());
        return unseen;
    }
}
