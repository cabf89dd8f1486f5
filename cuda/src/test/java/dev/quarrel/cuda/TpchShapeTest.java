package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Queries 1 and 6 of TPC-H, over its types and ranges: products of decimals(15,2) whose type has 38 digits.
class TpchShapeTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final DataType MONEY = new DataType.Decimal(15, 2);
    private static final DataType FACTOR = new DataType.Decimal(16, 2);
    private static final DataType DISCOUNTED = new DataType.Decimal(31, 4);
    private static final DataType CHARGE = new DataType.Decimal(38, 6);
    private static final int QUANTITY = 0;
    private static final int PRICE = 1;
    private static final int DISCOUNT = 2;
    private static final int TAX = 3;
    private static final int FLAG = 4;
    private static final int STATUS = 5;
    private static final int SHIPPED = 6;
    private static final List<DataType> TYPES =
            List.of(MONEY, MONEY, MONEY, MONEY, DataType.UTF8, DataType.UTF8, DataType.DATE);

    static Stream<Long> schedules() {
        return Stream.of(0L, 1L, SEED);
    }

    static TestTable lineitem(int rows, double nulls, Random random) {
        List<List<Object>> columns = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            List<Object> values = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                Object value =
                        switch (column) {
                            case QUANTITY -> BigDecimal.valueOf(random.nextInt(1, 51) * 100L, 2);
                            case PRICE -> BigDecimal.valueOf(random.nextInt(90_000, 10_500_000), 2);
                            case DISCOUNT -> BigDecimal.valueOf(random.nextInt(11), 2);
                            case TAX -> BigDecimal.valueOf(random.nextInt(9), 2);
                            case FLAG -> List.of("A", "N", "R").get(random.nextInt(3));
                            case STATUS -> List.of("O", "F").get(random.nextInt(2));
                            default -> (long) random.nextInt(8036, 10_562);
                        };
                values.add(random.nextDouble() < nulls ? null : value);
            }
            columns.add(values);
        }
        return new TestTable("lineitem", TYPES, columns, 700, 300);
    }

    private static int compare(ProgramBuilder code, Opcode op, DataType type, int mask, int column, int slot) {
        int value = code.value(op, DataType.BOOL, mask, 0, code.load(column, mask), code.constant(slot, type, mask));
        return code.mask(Opcode.MASK_TRUE, mask, value);
    }

    static QueryPlan query1(TestTable table) {
        Plans plans = new Plans();
        int one = plans.constant(MONEY, new BigDecimal("1.00"));
        int last = plans.constant(DataType.DATE, 10_471L);
        plans.scan(table)
                .program(code -> {
                    int rows = compare(code, Opcode.LE_DATE, DataType.DATE, 0, SHIPPED, last);
                    int price = code.load(PRICE, rows);
                    int discount = code.load(DISCOUNT, rows);
                    int ones = code.constant(one, MONEY, rows);
                    int less = code.value(Opcode.SUB_DECIMAL, FACTOR, rows, 0, ones, discount);
                    int more = code.value(Opcode.ADD_DECIMAL, FACTOR, rows, 0, ones, code.load(TAX, rows));
                    int discounted = code.value(Opcode.MUL_DECIMAL, DISCOUNTED, rows, 0, price, less);
                    int charge = code.value(Opcode.MUL_DECIMAL, CHARGE, rows, 0, discounted, more);
                    return new Plans.Out(
                            rows,
                            List.of(
                                    code.load(FLAG, rows),
                                    code.load(STATUS, rows),
                                    code.load(QUANTITY, rows),
                                    price,
                                    discounted,
                                    charge,
                                    discount));
                })
                .sink(new Sink.Aggregate(
                        List.of(0, 1),
                        List.of(
                                new AggregateCall(AggregateKind.SUM, 2, -1),
                                new AggregateCall(AggregateKind.SUM, 3, -1),
                                new AggregateCall(AggregateKind.SUM, 4, -1),
                                new AggregateCall(AggregateKind.SUM, 5, -1),
                                new AggregateCall(AggregateKind.AVG, 2, -1),
                                new AggregateCall(AggregateKind.AVG, 3, -1),
                                new AggregateCall(AggregateKind.AVG, 6, -1),
                                new AggregateCall(AggregateKind.COUNT_STAR, -1, -1))));
        return plans.result();
    }

    private static QueryPlan query6(TestTable table) {
        Plans plans = new Plans();
        int from = plans.constant(DataType.DATE, 8766L);
        int to = plans.constant(DataType.DATE, 9131L);
        int low = plans.constant(MONEY, new BigDecimal("0.05"));
        int high = plans.constant(MONEY, new BigDecimal("0.07"));
        int most = plans.constant(MONEY, new BigDecimal("24.00"));
        plans.scan(table)
                .program(code -> {
                    int rows = compare(code, Opcode.GE_DATE, DataType.DATE, 0, SHIPPED, from);
                    rows = compare(code, Opcode.LT_DATE, DataType.DATE, rows, SHIPPED, to);
                    rows = compare(code, Opcode.GE_DECIMAL, MONEY, rows, DISCOUNT, low);
                    rows = compare(code, Opcode.LE_DECIMAL, MONEY, rows, DISCOUNT, high);
                    rows = compare(code, Opcode.LT_DECIMAL, MONEY, rows, QUANTITY, most);
                    int revenue = code.value(
                            Opcode.MUL_DECIMAL,
                            new DataType.Decimal(30, 4),
                            rows,
                            0,
                            code.load(PRICE, rows),
                            code.load(DISCOUNT, rows));
                    return new Plans.Out(rows, List.of(revenue));
                })
                .sink(new Sink.Aggregate(List.of(), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        return plans.result();
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void agree(long schedule) {
        Random random = new Random(SEED);
        try (TwoDevices devices = TwoDevices.open(schedule)) {
            for (int rows : new int[] {1, 256, 3000}) {
                for (double nulls : new double[] {0, 0.1}) {
                    TestTable table = lineitem(rows, nulls, random);
                    for (QueryPlan plan : List.of(query1(table), query6(table))) {
                        assertThat(devices.refusal(plan, 0)).isNull();
                        devices.check("rows " + rows + " nulls " + nulls, plan, true, table);
                    }
                }
            }
        }
    }
}
