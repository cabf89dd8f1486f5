package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.driver.FakeDriver;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whole pipelines by way of the driver, JCuda and all: the answer is the CPU's, whichever call of the driver
/// fails.
class ThroughTheDriverTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int OUT_OF_MEMORY = 2;
    private static final int ILLEGAL_ADDRESS = 700;

    private final TestTable fact = StarJoinTest.fact(700, 0.1, new Random(SEED));
    private final TestTable dimension =
            StarJoinTest.dimension("dimension", 100, 3, 1, DataType.INT32, new Random(SEED));

    private final TestTable plain = new TestTable(
            "plain",
            List.of(DataType.INT64, DataType.INT16, DataType.UTF8),
            ScanAggregateTest.columns(
                    List.of(DataType.INT64, DataType.INT16, DataType.UTF8), 700, 0.1, new Random(SEED)),
            false,
            300);

    private QueryPlan plan() {
        Plans plans = new Plans();
        int build = StarJoinTest.build(plans, dimension);
        plans.scan(fact)
                .all()
                .join(JoinKind.INNER, build, List.of(0))
                .all()
                .sink(new Sink.Aggregate(List.of(4), StarJoinTest.calls(2, 5)));
        return plans.result();
    }

    /// Rows sorted on the device, with text that never comes there.
    private QueryPlan sort() {
        Plans plans = new Plans();
        plans.scan(plain)
                .all()
                .sink(new Sink.Sort(
                        List.of(new SortKey(1, true, false), new SortKey(0, false, true)),
                        Sink.Bound.ZERO,
                        Sink.Bound.NONE));
        return plans.result();
    }

    @Test
    void sortedRowsAreTheCpus() {
        for (long schedule : new long[] {0, 1, SEED}) {
            try (TwoDevices devices = TwoDevices.throughTheDriver(schedule)) {
                devices.checkInOrder("sort", sort(), true, plain);
                assertThat(devices.sortedRows()).isEqualTo(plain.rows());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuMemAllocFromPoolAsync",
                "cuMemcpyDtoHAsync",
                "cuMemsetD8Async",
                "cuLaunchKernel",
                "cuStreamSynchronize"
            })
    void sortedRowsAreTheCpusWhicheverCallFails(String call) {
        theAnswerIsTheCpusWhicheverCallFails(call, TwoDevices::checkInOrder, sort(), plain);
    }

    @Test
    void theAnswerIsTheCpus() {
        for (long schedule : new long[] {0, 1, SEED}) {
            try (TwoDevices devices = TwoDevices.throughTheDriver(schedule)) {
                devices.check("first", plan(), true, fact, dimension);
                int copies = FakeDriver.calls("cuMemcpyHtoDAsync");
                devices.check("again", plan(), true, fact, dimension);
                // The second time columns are there already.
                assertThat(FakeDriver.calls("cuMemcpyHtoDAsync") - copies).isLessThan(copies);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuMemAllocFromPoolAsync",
                "cuMemcpyHtoDAsync",
                "cuMemcpyDtoHAsync",
                "cuMemsetD8Async",
                "cuLaunchKernel",
                "cuStreamSynchronize",
                "cuStreamCreate",
                "cuEventRecord",
                "cuEventSynchronize"
            })
    void theAnswerIsTheCpusWhicheverCallFails(String call) {
        theAnswerIsTheCpusWhicheverCallFails(call, TwoDevices::check, plan(), fact, dimension);
    }

    private static void theAnswerIsTheCpusWhicheverCallFails(
            String call, Check check, QueryPlan plan, TestTable... tables) {
        int opening;
        int calls;
        try (TwoDevices devices = TwoDevices.throughTheDriver(0)) {
            opening = FakeDriver.calls(call);
            check.apply(devices, "all well", plan, true, tables);
            calls = FakeDriver.calls(call) - opening;
        }
        assertThat(calls).isPositive();
        for (int code : new int[] {OUT_OF_MEMORY, ILLEGAL_ADDRESS}) {
            for (int failing = 0; failing < calls; failing++) {
                String what = call + ", time " + failing + ", code " + code;
                try (TwoDevices devices = TwoDevices.throughTheDriver(0)) {
                    FakeDriver.fail(call, code, failing);
                    check.apply(devices, what, plan, false, tables);
                    // What a failed wait leaves behind nobody knows: the device is out of use then, whatever the error.
                    boolean isUsable = code == OUT_OF_MEMORY && !call.equals("cuStreamSynchronize");
                    check.apply(devices, what + ", afterwards", plan, isUsable, tables);
                }
            }
        }
    }

    /// How answers are compared.
    private interface Check {
        String apply(TwoDevices devices, String what, QueryPlan plan, boolean mustRun, Table... tables);
    }
}
