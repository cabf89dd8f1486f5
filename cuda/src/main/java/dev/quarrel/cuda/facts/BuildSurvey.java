package dev.quarrel.cuda.facts;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.encode.BuildEncoder.Places;
import dev.quarrel.cuda.encode.BuildSide.Numbering;
import dev.quarrel.cuda.encode.ColumnGather;
import java.util.BitSet;
import java.util.Map;

/// The facts about a build side whose rows are on the device alone.
///
/// @param rows that have a key
/// @param keys places of the keys
/// @param isUnique whether each key comes once
/// @param leastKey the least that there is
/// @param greatestKey likewise; below `leastKey` where there is none
/// @param columns of the payload, by number: those that are grouped by
public record BuildSurvey(
        int rows, Places keys, boolean isUnique, long leastKey, long greatestKey, Map<Integer, Values> columns) {
    /// The values that a column has.
    ///
    /// @param seen by place; NULL's is the last
    public record Values(Places places, BitSet seen) {
        boolean hasNull() {
            return seen.get(places.values());
        }

        /// Places take that of rows.
        Numbering numbering(boolean needsNull) {
            int[] numberOf = new int[places.values() + 1];
            int[] placeOf = new int[seen.cardinality() - (hasNull() ? 1 : 0)];
            int count = 0;
            for (int place = seen.nextSetBit(0);
                    place >= 0 && place < places.values();
                    place = seen.nextSetBit(place + 1)) {
                numberOf[place] = count;
                placeOf[count++] = place;
            }
            numberOf[places.values()] = count;
            return new Numbering(numberOf, placeOf, needsNull || hasNull() ? count : -1);
        }

        Column gather(int[] places, Allocator allocator) {
            if (this.places.dictionary() != null) {
                return ColumnGather.of(this.places.dictionary().values(), places, allocator);
            }
            DataType type = this.places.type();
            ColumnWriter writer = new ColumnWriter(type, allocator, places.length);
            for (int place : places) {
                long value = this.places.least() + place;
                if (place < 0) {
                    writer.appendNull();
                } else if (type.byteWidth() == 2) {
                    writer.appendInt16((short) value);
                } else if (type.byteWidth() == 4) {
                    writer.appendInt32((int) value);
                } else {
                    writer.appendInt64(value);
                }
            }
            return writer.finish();
        }
    }
}
