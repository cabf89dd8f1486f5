package dev.quarrel.core.cpu.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a loop's terms call columns, arrays and scalars by: numbers, which are those of its [LoopInput].
final class LoopSources {
    /// Where a value of a loop comes from that is bound for each batch or tile.
    sealed interface CellSource {
        /// A fixed-width column of the batch.
        record Values(int input) implements CellSource {}

        /// A column of which only matters that all rows are present.
        record Present(int input) implements CellSource {}

        /// A text column's codes, and their digits by code in an array.
        record Codes(GroupKey.Codes key, int stride) implements CellSource {}

        /// The build row that each row of the tile matched.
        record Matches(int join) implements CellSource {}

        /// An output of a program that ran over the tile.
        record Output(int program, int output) implements CellSource {}
    }

    private final List<CellSource> columns = new ArrayList<>();
    private final Map<Integer, CellSource> boundArrays = new HashMap<>();
    private final List<Object> arrays = new ArrayList<>();
    private final List<Long> scalars = new ArrayList<>();
    private final Map<CellSource, Integer> columnOf = new HashMap<>();
    private final Map<Long, Integer> scalarOf = new HashMap<>();
    private final Map<CellSource, Integer> arrayOf = new HashMap<>();

    /// The number of a column.
    int column(CellSource source) {
        return columnOf.computeIfAbsent(source, key -> {
            columns.add(key);
            return columns.size() - 1;
        });
    }

    /// The number of an array that stays as it is.
    int array(Object values) {
        for (int number = 0; number < arrays.size(); number++) {
            if (arrays.get(number) == values) {
                return number;
            }
        }
        arrays.add(values);
        return arrays.size() - 1;
    }

    /// The number of an array that is bound for each batch or tile.
    int boundArray(CellSource source) {
        return arrayOf.computeIfAbsent(source, _ -> {
            arrays.add(null);
            boundArrays.put(arrays.size() - 1, source);
            return arrays.size() - 1;
        });
    }

    /// The number of a scalar that stays as it is.
    int scalar(long value) {
        return scalarOf.computeIfAbsent(value, added -> {
            scalars.add(added);
            return scalars.size() - 1;
        });
    }

    /// The number of a scalar that changes: no other has it.
    int ownScalar() {
        scalars.add(0L);
        return scalars.size() - 1;
    }

    /// Forgets all numbers.
    void clear() {
        List.of(columns, arrays, scalars).forEach(List::clear);
        List.of(columnOf, scalarOf, arrayOf, boundArrays).forEach(Map::clear);
    }

    /// By number.
    List<CellSource> columns() {
        return columns;
    }

    /// By number.
    Map<Integer, CellSource> boundArrays() {
        return boundArrays;
    }

    LoopInput newInput() {
        LoopInput input = new LoopInput(
                columns.size(),
                arrays.size(),
                scalars.stream().mapToLong(Long::longValue).toArray());
        for (int number = 0; number < arrays.size(); number++) {
            input.arrays[number] = arrays.get(number);
        }
        return input;
    }
}
