package dev.quarrel.core.arrow.dataset;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeySetTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261127);

    /// Keys of 2 to 24 bytes: packed into one number or two, with a column across both, and hashed.
    static List<List<DataType>> keys() {
        DataType uuid = new DataType.Uuid();
        return List.of(
                List.of(DataType.INT16),
                List.of(DataType.INT32),
                List.of(DataType.INT64),
                List.of(uuid),
                List.of(DataType.INT32, DataType.INT32),
                List.of(DataType.INT16, DataType.INT32),
                List.of(DataType.INT32, DataType.INT64),
                List.of(DataType.INT16, DataType.INT64),
                List.of(DataType.INT64, DataType.INT32, DataType.INT16),
                List.of(DataType.INT32, DataType.INT16, DataType.INT32, DataType.INT32),
                List.of(uuid, DataType.INT64));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void rowsAreThoseWhoseKeysWereAdded(List<DataType> types) {
        Random random = new Random(SEED);
        List<Field> fields = IntStream.range(0, types.size())
                .mapToObj(column -> new Field("k" + column, types.get(column), false))
                .toList();
        KeySet set = new KeySet(new KeyCodes(new Schema(fields)));
        Set<List<Long>> added = new HashSet<>();
        try (Arena arena = Arena.ofConfined()) {
            for (int rowCount : new int[] {1, 1000, 7, 5000, 0}) {
                List<List<Long>> rows = rows(types, rowCount, random);
                set.add(columns(types, rows, arena), rowCount);
                added.addAll(rows);
                assertThat(set.size()).isEqualTo(added.size());
                List<List<Long>> asked = new ArrayList<>(rows(types, 3000, random));
                asked.addAll(rows);
                KeyCodes.Codes codes = set.codes().of(columns(types, asked, arena), asked.size());
                requireMembers(set, columns(types, asked, arena), asked, added, random, arena);
                for (boolean areMembers : new boolean[] {true, false}) {
                    assertThat(set.rows(codes, asked.size(), areMembers))
                            .as("quarrel.seed=%d, %s", SEED, types)
                            .containsExactly(IntStream.range(0, asked.size())
                                    .filter(row -> added.contains(asked.get(row)) == areMembers)
                                    .toArray());
                }
            }
        }
    }

    /// By the columns, and where some values are NULL.
    private static void requireMembers(
            KeySet set,
            List<Column> columns,
            List<List<Long>> asked,
            Set<List<Long>> added,
            Random random,
            Arena arena) {
        MemorySegment bits = arena.allocate(asked.size() / 8 + 8, 8);
        for (long at = 0; at < bits.byteSize(); at++) {
            bits.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
        int holed = random.nextInt(columns.size());
        for (Validity validity : List.of(Validity.allPresent(), Validity.of(bits, asked.size(), -1))) {
            KeySet.Members members = set.members(
                    column -> {
                        FixedColumn fixed = (FixedColumn) columns.get(column);
                        return column == holed
                                ? new FixedColumn(fixed.type(), asked.size(), fixed.values(), validity)
                                : fixed;
                    },
                    asked.size());
            int[] wanted = IntStream.range(0, asked.size())
                    .filter(row -> validity.isPresent(row) && added.contains(asked.get(row)))
                    .toArray();
            assertThat(members.rows()).as("quarrel.seed=%d", SEED).containsExactly(wanted);
            for (int member = 0; member < wanted.length; member++) {
                assertThat(set.holds(members.codes(), member)).isTrue();
            }
        }
    }

    /// Each key as numbers of 64 bits at most; many are near zero, or differ in a sign or in the last column alone.
    private static List<List<Long>> rows(List<DataType> types, int rowCount, Random random) {
        List<List<Long>> rows = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            List<Long> key = new ArrayList<>();
            for (DataType type : types) {
                for (int part = 0; part < Math.max(1, type.byteWidth() / 8); part++) {
                    long value = random.nextInt(3) == 0 ? random.nextInt(-20, 20) : random.nextInt(-2, 2) << 13;
                    key.add(type.byteWidth() >= 8 ? value << random.nextInt(3) * 20 : value);
                }
            }
            rows.add(key);
        }
        return rows;
    }

    private static List<Column> columns(List<DataType> types, List<List<Long>> rows, Arena arena) {
        List<Column> columns = new ArrayList<>();
        int first = 0;
        for (DataType type : types) {
            int width = type.byteWidth();
            MemorySegment values = arena.allocate(Math.max(1, (long) rows.size() * width), 8);
            for (int row = 0; row < rows.size(); row++) {
                long value = rows.get(row).get(first);
                switch (width) {
                    case 2 -> values.set(INT16, row * 2L, (short) value);
                    case 4 -> values.set(INT32, row * 4L, (int) value);
                    default -> {
                        for (int part = 0; part < width / 8; part++) {
                            values.set(
                                    INT64,
                                    (long) row * width + part * 8L,
                                    rows.get(row).get(first + part));
                        }
                    }
                }
            }
            columns.add(new FixedColumn(type, rows.size(), values, Validity.allPresent()));
            first += Math.max(1, width / 8);
        }
        return columns;
    }
}
