package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Comparisons of columns with constants that are asked of the columns' memory, against Java's own, row by row.
@Tag("compiled")
class ColumnConditionsTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261126L);
    private static final DataType DECIMAL = new DataType.Decimal(38, 2);

    private final Random random = new Random(SEED);

    @ParameterizedTest
    @ValueSource(ints = {64, 4096})
    void decimals(int tileRows) {
        for (int round = 0; round < 15; round++) {
            boolean hasWide = round % 3 == 0;
            Object constant = decimal(round % 5 == 0);
            check(DECIMAL, row -> row % 7 == 0 ? null : decimal(hasWide), constant, tileRows);
        }
    }

    private BigDecimal decimal(boolean mayBeWide) {
        return switch (random.nextInt(mayBeWide ? 6 : 4)) {
            case 0 -> BigDecimal.valueOf(random.nextInt(5) - 2, 2);
            case 1 -> new BigDecimal(BigInteger.valueOf(random.nextLong() / 10), 2);
            case 4 -> new BigDecimal(new BigInteger(120, random).subtract(BigInteger.ONE.shiftLeft(119)), 2);
            case 5 ->
                new BigDecimal(BigInteger.valueOf(Long.MAX_VALUE).add(BigInteger.valueOf(random.nextInt(3) - 1)), 2);
            default -> BigDecimal.valueOf(random.nextInt(2000) - 1000, 2);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 4096})
    void texts(int tileRows) {
        for (int length = 0; length < 20; length++) {
            String constant = "abcdefghijklmnopqrstuvwxyz".substring(0, length);
            check(DataType.UTF8, row -> row % 7 == 0 ? null : like(constant), constant, tileRows);
        }
    }

    /// The text itself, or one that differs in one byte or in its length.
    private String like(String text) {
        int at = text.isEmpty() ? 0 : random.nextInt(text.length());
        return switch (random.nextInt(4)) {
            case 0 -> text + "x";
            case 1 -> text.isEmpty() ? "y" : text.substring(0, at) + "é" + text.substring(at + 1);
            case 2 -> text.isEmpty() ? "z" : text.substring(0, at) + "#" + text.substring(at + 1);
            default -> text;
        };
    }

    private void check(DataType type, Function<Integer, Object> values, Object constant, int tileRows) {
        List<List<Object>> rows = new ArrayList<>();
        // Whole words of rows and others, whole tiles and others.
        int[] batchRows = {1, 63, 64, 65, tileRows, tileRows + 904, 130, 81};
        for (int row = 0; row < IntStream.of(batchRows).sum(); row++) {
            rows.add(TestRows.row(values.apply(row)));
        }
        MemoryTable table = plainTable(type, rows, batchRows);
        for (Relation relation : Relation.values()) {
            for (boolean isTurned : new boolean[] {false, true}) {
                List<List<Object>> expected = rows.stream()
                        .filter(row -> row.getFirst() != null
                                && holds(isTurned ? relation.turned() : relation, row.getFirst(), constant))
                        .toList();
                for (DeviceConfig.Tier tier : DeviceConfig.Tier.values()) {
                    try (PlanRunner runner = new PlanRunner(new DeviceConfig(2, tileRows, tier, 64 << 20))) {
                        TestRows.assertSame(
                                runner.rows(plan(table, type, relation, constant, isTurned), table),
                                expected,
                                String.format("seed %s, %s %s %s, tier %s", SEED, relation, constant, isTurned, tier));
                    }
                }
            }
        }
    }

    /// Without dictionaries.
    private static MemoryTable plainTable(DataType type, List<List<Object>> rows, int[] batchRows) {
        Schema schema = new Schema(List.of(new Field("c0", type, true)));
        List<Batch> batches = new ArrayList<>();
        int from = 0;
        for (int count : batchRows) {
            batches.add(TestRows.batch(schema, rows.subList(from, from + count), 0));
            from += count;
        }
        return new MemoryTable("public", "t", schema, batches);
    }

    private static QueryPlan plan(
            MemoryTable table, DataType type, Relation relation, Object constant, boolean isTurned) {
        PlanBuilder plans = new PlanBuilder();
        int slot = plans.constant(type, constant);
        Opcode opcode = Opcode.valueOf(relation.name() + (type instanceof DataType.Utf8 ? "_UTF8" : "_DECIMAL"));
        return plans.scan(table)
                .program(builder -> {
                    int column = builder.load(0, ProgramBuilder.ALL_ROWS);
                    int other = builder.constant(slot, type, ProgramBuilder.ALL_ROWS);
                    int truth = isTurned
                            ? builder.value(opcode, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, other, column)
                            : builder.value(opcode, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, column, other);
                    return new PlanBuilder.Out(
                            builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, truth), List.of(column));
                })
                .result();
    }

    @SuppressWarnings("unchecked")
    private static boolean holds(Relation relation, Object value, Object constant) {
        int order = value instanceof String text
                ? text.compareTo((String) constant) // as their bytes: no surrogates
                : ((Comparator<Object>) (Comparator<?>) Comparator.<BigDecimal>naturalOrder()).compare(value, constant);
        return switch (relation) {
            case EQ -> order == 0;
            case NE -> order != 0;
            case LT -> order < 0;
            case LE -> order <= 0;
            case GT -> order > 0;
            case GE -> order >= 0;
        };
    }
}
