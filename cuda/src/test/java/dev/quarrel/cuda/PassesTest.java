package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.column.Chunk;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Join tables that do not fit: a part at a time where each row counts in one part, the CPU elsewhere.
class PassesTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int KEYS = 6000;
    private static final List<DataType> FACT = List.of(DataType.INT64, DataType.INT32);

    private static TestTable fact(long step) {
        Random random = new Random(SEED);
        List<List<Object>> columns = ScanAggregateTest.columns(FACT, 3000, 0.05, random);
        for (int row = 0; row < 3000; row++) {
            if (row % 17 != 3) {
                columns.getFirst().set(row, random.nextInt(-50, KEYS + 50) * step);
            }
        }
        return new TestTable("fact", FACT, columns, 256, 512, 300);
    }

    private static TestTable dimension(long step) {
        List<DataType> types = List.of(DataType.INT64, DataType.INT32);
        List<List<Object>> columns = ScanAggregateTest.columns(types, KEYS, 0, new Random(SEED));
        for (int row = 0; row < KEYS; row++) {
            columns.get(0).set(row, row * step);
            columns.get(1).set(row, (long) (row % 7));
        }
        if (step > 1) {
            columns.getFirst().set(KEYS - 1, Long.MAX_VALUE);
            columns.getFirst().set(0, Long.MIN_VALUE);
        }
        return new TestTable("dimension", types, columns, 4096);
    }

    @ParameterizedTest
    @CsvSource({
        // A dense table of 24 KB, or bits of 1 KB; a hash table of 256 KB, and 24 KB beside it. Two fifths of the
        // memory are for them.
        "INNER, 1, 1000000, 1",
        "INNER, 1, 100000, 1",
        "INNER, 1, 45000, 2",
        "INNER, 1000000007, 400000, 2",
        "INNER, 1000000007, 200000, 8",
        "SEMI, 1, 10000000, 1",
        "SEMI, 1000000007, 400000, 2",
        "LEFT, 1, 25000, 0",
        "ANTI, 1000000007, 200000, 0",
        "INNER, 1000000007, 5000, 0"
    })
    void eachRowCountsInOnePass(JoinKind kind, long step, long memory, int passes) {
        TestTable fact = fact(step);
        TestTable dimension = dimension(step);
        for (long schedule : new long[] {0, SEED}) {
            Plans plans = new Plans();
            // The CPU makes the table where rows without a key are kept.
            int build = plans.scan(dimension).all().sink(new Sink.HashBuild(List.of(0), List.of(1), true));
            plans.scan(fact)
                    .all()
                    .join(kind, build, List.of(0))
                    .all()
                    .sink(new Sink.Aggregate(
                            kind.hasPayload() ? List.of(2) : List.of(), new ArrayList<>(StarJoinTest.calls(1))));
            try (TwoDevices devices = TwoDevices.ofMemory(schedule, memory)) {
                devices.check(
                        kind + ", step " + step + ", memory " + memory, plans.result(), passes > 0, fact, dimension);
                int chunks = Chunk.of(fact, 2, TwoDevices.CHUNK_ROWS, Chunk.MODEST_ROWS)
                        .size();
                if (passes == 0) {
                    assertThat(devices.launches()).isZero();
                } else {
                    assertThat(devices.launches()).isEqualTo((long) passes * chunks);
                }
            }
        }
    }

    /// A key, and all types whose values are read by build row or grouped by.
    private static final List<DataType> ALL_TYPES = List.of(
            DataType.INT64,
            DataType.INT16,
            DataType.INT32,
            DataType.INT64,
            DataType.DATE,
            DataType.TIME,
            DataType.TIMESTAMP,
            new DataType.Decimal(12, 2),
            DataType.FLOAT32,
            DataType.FLOAT64,
            DataType.UTF8,
            DataType.BOOL);

    /// @param repeats rows of a key, which lie far from each other
    private static TestTable ofAllTypes(long step, int repeats, Random random) {
        int keys = KEYS / 2 / repeats;
        List<List<Object>> columns = new ArrayList<>();
        for (DataType _ : ALL_TYPES) {
            columns.add(new ArrayList<>());
        }
        for (int row = 0; row < keys * repeats; row++) {
            int small = random.nextInt(-50, 50);
            List<Object> values = Arrays.asList(
                    row % keys * step,
                    (long) small,
                    random.nextLong(-1_000_000, 1_000_000),
                    random.nextLong(-1L << 40, 1L << 40),
                    random.nextLong(-9000, 9000),
                    random.nextLong(86_400_000_000L),
                    random.nextLong(-1L << 50, 1L << 50),
                    BigDecimal.valueOf(random.nextInt(), 2),
                    small / 8f,
                    random.nextGaussian(),
                    "text " + small % 5,
                    random.nextBoolean());
            for (int column = 0; column < columns.size(); column++) {
                columns.get(column).add(random.nextInt(column == 0 ? 40 : 8) == 0 ? null : values.get(column));
            }
        }
        return new TestTable("dimension", ALL_TYPES, columns, 1000, 77);
    }

    /// Values of build rows, and rows of one key that follow each other: all passes read the same ones.
    @ParameterizedTest
    @CsvSource({
        "INNER, 7, 1, false",
        "INNER, 7, 3, false",
        "INNER, 1000000007, 1, false",
        "INNER, 1000000007, 3, false",
        "INNER, 7, 1, true",
        "INNER, 7, 3, true",
        "INNER, 1000000007, 1, true",
        "INNER, 1000000007, 3, true",
        "SEMI, 7, 1, true",
        "SEMI, 1000000007, 1, true"
    })
    void buildRowsAreReadInEachPass(JoinKind kind, long step, int repeats, boolean hasCondition) {
        TestTable fact = fact(step);
        TestTable dimension = ofAllTypes(step, repeats, new Random(SEED));
        int chunks = Chunk.of(fact, 2, TwoDevices.CHUNK_ROWS, Chunk.MODEST_ROWS).size();
        int columns = hasCondition ? 2 : ALL_TYPES.size(); // the condition reads the same column every time
        for (int column = 1; column < columns; column++) {
            QueryPlan plan = plan(kind, fact, dimension, column, hasCondition);
            String what = kind + ", step " + step + ", repeats " + repeats + ", " + ALL_TYPES.get(column);
            long most = 0;
            // From what is too little for any number of passes to what is enough for one.
            for (long memory = 50_000, last = 0; last != chunks; memory += memory / 4) {
                try (TwoDevices devices = TwoDevices.ofMemory(SEED, memory)) {
                    devices.check(what + ", memory " + memory, plan, memory > 1_000_000, fact, dimension);
                    last = devices.launches();
                    most = Math.max(most, last);
                }
            }
            assertThat(most).as("launches of %s", what).isGreaterThan(chunks);
        }
    }

    /// An aggregate of one of the build side's columns, by its text; or by that column, where it has no numbers.
    private static QueryPlan plan(
            JoinKind kind, TestTable fact, TestTable dimension, int column, boolean hasCondition) {
        Plans plans = new Plans();
        int build = plans.scan(dimension)
                .all()
                .sink(new Sink.HashBuild(List.of(0), Plans.range(1, ALL_TYPES.size()), true));
        Plans.Chain chain = plans.scan(fact).all();
        if (hasCondition) {
            int number = joined(ALL_TYPES.indexOf(DataType.INT32));
            chain.join(kind, build, List.of(0), code -> {
                int less = code.value(Opcode.LT_INT32, DataType.BOOL, 0, 0, code.load(1, 0), code.load(number, 0));
                return code.mask(Opcode.MASK_TRUE, 0, less);
            });
        } else {
            chain.join(kind, build, List.of(0));
        }
        Sink.Aggregate sink;
        if (!kind.hasPayload()) {
            sink = new Sink.Aggregate(List.of(), StarJoinTest.calls(1));
        } else if (ALL_TYPES.get(column) instanceof DataType.Utf8 || ALL_TYPES.get(column) instanceof DataType.Bool) {
            sink = new Sink.Aggregate(List.of(joined(column)), calls(DataType.INT16, joined(1)));
        } else {
            sink = new Sink.Aggregate(
                    List.of(joined(ALL_TYPES.indexOf(DataType.UTF8))), calls(ALL_TYPES.get(column), joined(column)));
        }
        chain.all().sink(sink);
        return plans.result();
    }

    /// Where the build side's column is among the joined ones.
    private static int joined(int column) {
        return FACT.size() + column - 1;
    }

    private static List<AggregateCall> calls(DataType type, int column) {
        List<AggregateKind> kinds = new ArrayList<>(
                List.of(AggregateKind.COUNT_STAR, AggregateKind.COUNT, AggregateKind.MIN, AggregateKind.MAX));
        if (!(type instanceof DataType.Date || type instanceof DataType.Time || type instanceof DataType.Timestamp)) {
            kinds.add(AggregateKind.SUM);
        }
        return kinds.stream()
                .map(kind -> new AggregateCall(kind, kind == AggregateKind.COUNT_STAR ? -1 : column, -1))
                .toList();
    }
}
