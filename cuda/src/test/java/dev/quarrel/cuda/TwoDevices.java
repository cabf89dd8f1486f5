package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.CpuDevice;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.run.Scheduler;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.driver.FakeDriver;
import dev.quarrel.cuda.gpu.HostKernels;
import dev.quarrel.cuda.gpu.SharedGpu;
import dev.quarrel.cuda.host.HostBackend;
import dev.quarrel.cuda.host.HostLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/// Runs plans on the CPU and by the kernels' host build, and expects one answer.
final class TwoDevices implements AutoCloseable {
    private static final int THREADS = 2;
    /// So few that most tables are several.
    static final long CHUNK_ROWS = 600;

    private final Scheduler scheduler = new Scheduler(THREADS);
    private final CpuDevice cpu = new CpuDevice(new DeviceConfig(THREADS, 64, DeviceConfig.Tier.INTERPRETED, 0));
    private final Backend backend;
    private final CudaDevice cuda;
    private long sortedRows;
    private String note = "";

    private TwoDevices(Backend backend) {
        this(backend, 64L << 20, CHUNK_ROWS);
    }

    private TwoDevices(Backend backend, long windowBytes, long chunkRows) {
        this.backend = backend;
        this.cuda = new CudaDevice(
                backend, new DeviceConfig(THREADS, 64, DeviceConfig.Tier.INTERPRETED, 0), windowBytes, chunkRows, 1);
    }

    /// Skips the test, with the reason, where the kernels cannot be built. Where `quarrel.test.device` is `cuda` the
    /// device is this machine's GPU.
    static TwoDevices open(long seed) {
        if ("cuda".equals(System.getProperty("quarrel.test.device"))) {
            return new TwoDevices(SharedGpu.get());
        }
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        return new TwoDevices(new HostBackend(HostLibrary.open(), seed));
    }

    /// With so much memory, by the host's build.
    static TwoDevices ofMemory(long seed, long bytes) {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        return new TwoDevices(new HostBackend(HostLibrary.open(), seed, bytes));
    }

    /// The same, and rows leave the device by so many bytes at a time.
    static TwoDevices open(long seed, long windowBytes) {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        return new TwoDevices(new HostBackend(HostLibrary.open(), seed), windowBytes, CHUNK_ROWS);
    }

    /// The same, and chunks have so many rows, about.
    static TwoDevices ofChunks(long seed, long rows) {
        if ("cuda".equals(System.getProperty("quarrel.test.device"))) {
            return new TwoDevices(SharedGpu.get(), 64L << 20, rows);
        }
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        return new TwoDevices(new HostBackend(HostLibrary.open(), seed), 64L << 20, rows);
    }

    /// The same by way of the driver: all that a GPU's backend does, but the GPU.
    static TwoDevices throughTheDriver(long seed) {
        return new TwoDevices(HostKernels.backend(seed));
    }

    /// Rows of the last plan that the device sorted.
    long sortedRows() {
        return sortedRows;
    }

    /// Why it did not do all of the last plan, or "".
    String note() {
        return note;
    }

    /// Kernels that have run.
    long launches() {
        return switch (backend) {
            case HostBackend host -> host.launches();
            case SharedGpu gpu -> gpu.launches();
            default -> FakeDriver.calls("cuLaunchKernel");
        };
    }

    /// Expects the rows, or the error, of both to be the same.
    ///
    /// @param mustRun whether kernels must have run
    /// @return the answer
    String check(String what, QueryPlan plan, boolean mustRun, Table... tables) {
        return check(what, plan, mustRun, false, tables);
    }

    /// The same, and the rows' order too.
    String checkInOrder(String what, QueryPlan plan, boolean mustRun, Table... tables) {
        return check(what, plan, mustRun, true, tables);
    }

    private String check(String what, QueryPlan plan, boolean mustRun, boolean isOrdered, Table... tables) {
        String expected = answer(plan, Placement.Preference.CPU, isOrdered, List.of(tables));
        long before = launches();
        String actual = answer(plan, Placement.Preference.CUDA, isOrdered, List.of(tables));
        // Of several rows that fail it is free which one is told of; the CPU's workers do not agree among themselves.
        if (!expected.startsWith("error 22") || !actual.startsWith("error 22")) {
            assertThat(actual).as(what).isEqualTo(expected);
        }
        if (mustRun) {
            assertThat(launches()).as("launches of %s", what).isGreaterThan(before);
        }
        return expected;
    }

    /// Why the device does not take a pipeline, or null.
    String refusal(QueryPlan plan, int pipeline) {
        return CudaLowering.refusal(plan, plan.pipelines().get(pipeline));
    }

    /// The same, of the table that it scans.
    String refusal(QueryPlan plan, int pipeline, Table table) {
        return CudaLowering.refusal(plan, plan.pipelines().get(pipeline), table);
    }

    private String answer(QueryPlan plan, Placement.Preference preference, boolean isOrdered, List<Table> tables) {
        MemoryBudget budget = new MemoryBudget(1L << 30);
        List<String> rows = new ArrayList<>();
        List<Device> devices = preference == Placement.Preference.CPU ? List.of(cpu) : List.of(cuda, cpu);
        sortedRows = 0;
        try (QueryRun cursor = QueryRun.start(
                scheduler,
                plan,
                Placement.of(plan, devices, Map.of(), pipeline -> hints(pipeline, tables), preference, false),
                QueryRun.slotValues(plan, List.of()),
                new FixedSnapshot(tables),
                budget,
                QuerySpill.none(),
                new Cancellation(),
                schema(plan.root().rowTypes()))) {
            for (Batch batch = cursor.next(); batch != null; batch = cursor.next()) {
                for (int row = 0; row < batch.rowCount(); row++) {
                    List<Object> values = new ArrayList<>();
                    for (var column : batch.columns()) {
                        values.add(Cell.of(column, row));
                    }
                    rows.add(values.toString());
                }
                batch.close();
            }
            sortedRows = 0;
            note = "";
            for (int pipeline = 0; pipeline < plan.pipelines().size(); pipeline++) {
                sortedRows += cursor.counters(pipeline).rowsSorted.sum();
                note += cursor.counters(pipeline).note();
            }
        } catch (QueryException problem) {
            return "error " + problem.state().code() + " " + problem.getMessage();
        }
        assertThat(budget.usedBytes()).isZero();
        if (!isOrdered) {
            rows.sort(null);
        }
        return String.join("\n", rows);
    }

    private static PlacementHints hints(Pipeline pipeline, List<Table> tables) {
        if (pipeline.source() instanceof Source.TableScan scan) {
            for (Table table : tables) {
                if (table.name().equals(scan.tableName())) {
                    return new PlacementHints(table.stats().rowCount(), -1, table);
                }
            }
        }
        return PlacementHints.UNKNOWN;
    }

    private static Schema schema(List<DataType> types) {
        List<Field> fields = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            fields.add(new Field("r" + index, types.get(index), true));
        }
        return new Schema(fields);
    }

    @Override
    public void close() {
        scheduler.close();
        cuda.close();
        cpu.close();
        if (backend instanceof HostBackend host) {
            assertThat(host.allocatedBytes()).isZero();
        } else if (backend instanceof SharedGpu gpu) {
            assertThat(gpu.allocations()).isZero();
        } else if (backend.lostReason() == null) {
            assertThat(FakeDriver.open()).isEmpty();
        }
    }
}
