package dev.quarrel.bench;

import com.sun.management.ThreadMXBean;
import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.expr.TileProgram;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.FunctionRow.Kind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// How many calls a second one core does of each scalar function of the catalog, as the CPU device calls it: the
/// program that the planner makes of a call, over tiles of columns in memory, loads included.
///
/// Time is that of the thread on its CPU, so that other work on the machine shows little; the best of some runs counts.
public final class FunctionRates {
    private static final int ROWS = 8192;
    private static final int TILE_ROWS = DeviceConfig.DEFAULT_TILE_ROWS;
    private static final int NULL_EVERY = 10;
    private static final int ENTRIES = 500;
    private static final int MAX_TRIES = 400;
    private static final long MILLI = 1_000_000;
    private static final Set<String> NOT_CALLED = Set.of("pg_sleep", "pg_sleep_for", "pg_sleep_until");
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<String, FunctionSamples.Made> columns = new LinkedHashMap<>();
    private final Map<String, Object[]> values = new LinkedHashMap<>();
    private final LastPlan plans = new LastPlan();
    private final long warmUpNanos;
    private final long runNanos;
    private final int runs;
    private final List<Rate> rates = new ArrayList<>();
    private final Map<String, String> notMeasured = new LinkedHashMap<>();

    /// What was measured of a function.
    ///
    /// @param call the SQL
    /// @param kind how the function is computed
    /// @param withNulls the rate where one value in ten of each column is NULL; NaN where the function fails then
    /// @param coded the rate where texts are codes of a dictionary of 500 entries; NaN where there are no texts
    private record Rate(
            FunctionRow row, String call, String kind, double rate, double withNulls, double coded, double bytes) {
        private FunctionFamily family() {
            return FunctionFamily.of(row);
        }

        private boolean isBelowGoal() {
            return rate < family().goal();
        }
    }

    private FunctionRates(long warmUpMillis, long runMillis, int runs) {
        this.warmUpNanos = warmUpMillis * MILLI;
        this.runNanos = runMillis * MILLI;
        this.runs = runs;
    }

    /// Arguments: milliseconds of warm-up and of a run; runs; names of functions separated by commas, an empty text
    /// for all.
    public static void main(String[] arguments) {
        FunctionRates all = new FunctionRates(
                Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), Integer.parseInt(arguments[2]));
        all.measure(arguments[3].isEmpty() ? Set.of() : Set.of(arguments[3].split(",")));
        all.report();
    }

    private void measure(Set<String> names) {
        FunctionSamples samples = new FunctionSamples(columns);
        Map<FunctionRow, List<List<String>>> calls = new LinkedHashMap<>();
        for (FunctionRow row : FunctionCatalog.all()) {
            if (row.kind() instanceof Kind.Rows
                    || row.kind() instanceof Kind.Declined
                    || NOT_CALLED.contains(row.name())
                    || !names.isEmpty() && !names.contains(row.name())) {
                continue;
            }
            PgType element = isOfRanges(row) ? PgType.INT4 : PgType.TEXT;
            FunctionRow bound = row.isPolymorphic() ? row.of(element) : row;
            calls.put(bound, samples.of(bound));
        }
        try (Arena arena = Arena.ofShared();
                Engine maker = LocalEngine.open(new MemoryTables(List.of()), config())) {
            columns.values().forEach(column -> values.put(column.name(), make(maker, column)));
            List<MemoryTable> tables = new ArrayList<>();
            tables.add(table("plain", Form.PLAIN, Allocator.of(arena)));
            tables.add(table("nulls", Form.NULLS, Allocator.of(arena)));
            tables.add(table("coded", Form.CODED, Allocator.of(arena)));
            try (Engine engine = LocalEngine.open(new MemoryTables(tables), config(), List.of(plans));
                    SqlSession session = engine.openSession("bench")) {
                calls.forEach((row, choices) -> measure(row, choices, session, tables));
            }
        }
    }

    private static EngineConfig config() {
        return EngineConfig.defaults().withThreads(1).withTier(DeviceConfig.Tier.INTERPRETED);
    }

    private static boolean isOfRanges(FunctionRow row) {
        return row.arguments().contains(PgType.ANYRANGE) || row.arguments().contains(PgType.ANYMULTIRANGE);
    }

    /// The values of a column, in canonical form.
    private static Object[] make(Engine engine, FunctionSamples.Made column) {
        int seed = column.name().hashCode() & 0xFFFF;
        String sql =
                "SELECT (" + column.sql() + ")::" + column.type().formatName() + " FROM (SELECT ((i::bigint * 7919 + "
                        + seed + ") % 999983)::int AS h FROM generate_series(1, " + ROWS + ") AS i) AS s";
        Object[] made = new Object[ROWS];
        int count = 0;
        try (SqlSession session = engine.openSession("bench")) {
            PreparedQuery query = session.prepare(session.parse(sql).getFirst(), List.of());
            try (Execution execution = session.execute(query, List.of(), new Cancellation())) {
                for (Batch batch = execution.cursor().next();
                        batch != null;
                        batch = execution.cursor().next()) {
                    BatchInput input =
                            new BatchInput(List.of(batch.schema().field(0).type()), batch.rowCount());
                    input.moveTo(batch, 0, batch.rowCount());
                    Mask all = new Mask(batch.rowCount());
                    all.setAll(batch.rowCount());
                    Vector vector = input.load(0, all);
                    for (int row = 0; row < batch.rowCount(); row++) {
                        made[count++] = vector.value(row);
                    }
                    batch.close();
                }
            }
        } catch (QueryException problem) {
            throw new IllegalStateException(sql + ": " + problem.getMessage(), problem);
        }
        return made;
    }

    /// How columns hold their values.
    private enum Form {
        PLAIN,
        /// Every tenth value is NULL.
        NULLS,
        /// Texts are codes of a dictionary.
        CODED
    }

    private MemoryTable table(String name, Form form, Allocator allocator) {
        List<Field> fields = new ArrayList<>();
        List<ColumnWriter> writers = new ArrayList<>();
        for (FunctionSamples.Made column : columns.values()) {
            PgType type = column.type();
            fields.add(new Field(column.name(), type.dataType(), form == Form.NULLS, type.formatName()));
            boolean isCoded = form == Form.CODED && type.dataType().byteWidth() == -1;
            ColumnWriter writer = isCoded
                    ? ColumnWriter.coded(type.dataType(), allocator, ROWS)
                    : new ColumnWriter(type.dataType(), allocator, ROWS);
            Object[] all = values.get(column.name());
            for (int row = 0; row < ROWS; row++) {
                // Not the same rows in every column.
                if (form == Form.NULLS && (row + writers.size()) % NULL_EVERY == 0) {
                    writer.appendNull();
                } else {
                    writer.append(all[isCoded ? row % ENTRIES : row]);
                }
            }
            writers.add(writer);
        }
        Schema schema = new Schema(fields);
        return new MemoryTable(
                "public", name, schema, List.of(Batch.view(schema, ColumnWriter.finishAll(writers), ROWS)));
    }

    private void measure(FunctionRow row, List<List<String>> choices, SqlSession session, List<MemoryTable> tables) {
        int most = choices.stream().mapToInt(List::size).max().orElse(1);
        int[] choice = new int[choices.size()];
        String first = null;
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            // The same choice for all arguments, then all others.
            for (int index = 0; tries <= most && index < choice.length; index++) {
                choice[index] = Math.min(tries % most, choices.get(index).size() - 1);
            }
            List<String> arguments = new ArrayList<>();
            for (int index = 0; index < choice.length; index++) {
                if (choices.get(index).isEmpty()) {
                    notMeasured.put(
                            row.signature(), "no values of " + row.arguments().get(index));
                    return;
                }
                arguments.add(choices.get(index).get(choice[index]));
            }
            String call = "pg_catalog.\"" + row.name() + "\"(" + String.join(", ", arguments) + ")";
            try {
                Loop plain = loop(session, call, tables.get(0));
                plain.run();
                Loop nulls = nulls(session, call, tables.get(1));
                Loop coded = hasTexts(row) ? loop(session, call, tables.get(2)) : null;
                rates.add(rate(row, String.join(", ", arguments), plain, nulls, coded));
                return;
            } catch (QueryException | IllegalStateException problem) {
                first = first == null ? call + ": " + problem.getMessage() : first;
            } finally {
                session.endImplicitTransaction();
            }
            if (tries >= most && !advance(choice, choices)) {
                break;
            }
        }
        notMeasured.put(row.signature(), first);
    }

    /// Null for a function that fails for NULLs.
    private Loop nulls(SqlSession session, String call, MemoryTable table) {
        try {
            Loop nulls = loop(session, call, table);
            nulls.run();
            return nulls;
        } catch (QueryException _) {
            return null;
        }
    }

    /// Goes on to the next choice, those of the last argument first.
    private static boolean advance(int[] choice, List<List<String>> choices) {
        for (int index = choice.length - 1; index >= 0; index--) {
            if (++choice[index] < choices.get(index).size()) {
                return true;
            }
            choice[index] = 0;
        }
        return false;
    }

    private Loop loop(SqlSession session, String call, MemoryTable table) {
        plans.forget();
        session.prepare(
                session.parse("SELECT " + call + " FROM public." + table.name()).getFirst(), List.of());
        QueryPlan plan = plans.last();
        if (plan == null || plan.pipelines().size() != 1) {
            throw new IllegalStateException("it is no pipeline");
        }
        Pipeline pipeline = plan.root();
        if (!(pipeline.source() instanceof Source.TableScan scan)) {
            throw new IllegalStateException("it reads no column");
        }
        List<Literal> literals = new ArrayList<>();
        for (Slot slot : plan.slots()) {
            if (!(slot instanceof Slot.Constant(Literal literal))) {
                throw new IllegalStateException("it has a parameter");
            }
            literals.add(literal);
        }
        int[] read = scan.columnNames().stream()
                .mapToInt(name -> List.copyOf(columns.keySet()).indexOf(name))
                .toArray();
        return new Loop(pipeline.lastProgram(), literals, table.read(0, read));
    }

    private static boolean hasTexts(FunctionRow row) {
        return row.arguments().stream().anyMatch(type -> type.dataType().byteWidth() == -1);
    }

    private Rate rate(FunctionRow row, String call, Loop plain, Loop nulls, Loop coded) {
        plain.warmUp(warmUpNanos);
        double best = 0;
        double bytes = 0;
        for (int run = 0; run < runs; run++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            long calls = plain.time(runNanos);
            bytes = (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / calls;
            best = Math.max(best, plain.millions());
        }
        String kind = kind(row, plain.program);
        return new Rate(row, call, kind, best, millions(nulls), millions(coded), bytes);
    }

    private double millions(Loop loop) {
        double best = Double.NaN;
        if (loop != null) {
            loop.warmUp(warmUpNanos / 4);
            for (int run = 0; run < runs; run++) {
                loop.time(runNanos);
                best = Double.isNaN(best) ? loop.millions() : Math.max(best, loop.millions());
            }
        }
        return best;
    }

    private static String kind(FunctionRow row, Program program) {
        long steps = program.code().stream()
                .filter(step -> step.op() != Opcode.LOAD && step.op() != Opcode.CONST)
                .count();
        String name = row.kind().getClass().getSimpleName().toLowerCase(Locale.ROOT);
        return steps > 1 ? name + ", " + steps + " steps" : name;
    }

    /// A program over the rows of a batch, tile by tile.
    private static final class Loop {
        private final Program program;
        private final TileProgram tiles;
        private final BatchInput input;
        private final Mask rows = new Mask(TILE_ROWS);
        private final Batch batch;
        private double millions;

        private Loop(Program program, List<Literal> literals, Batch batch) {
            this.program = program;
            this.tiles = new TileProgram(program, literals, TILE_ROWS);
            this.input = new BatchInput(program.inputs(), TILE_ROWS);
            this.batch = batch;
        }

        private void run() {
            for (int first = 0; first < batch.rowCount(); first += TILE_ROWS) {
                int count = Math.min(TILE_ROWS, batch.rowCount() - first);
                rows.setAll(count);
                input.moveTo(batch, first, count);
                tiles.run(input, rows);
            }
        }

        private void warmUp(long nanos) {
            long end = THREADS.getCurrentThreadCpuTime() + nanos;
            while (THREADS.getCurrentThreadCpuTime() < end) {
                run();
            }
        }

        /// The calls that were made in that much time.
        private long time(long nanos) {
            long calls = 0;
            long start = THREADS.getCurrentThreadCpuTime();
            long now;
            do {
                run();
                calls += batch.rowCount();
                now = THREADS.getCurrentThreadCpuTime();
            } while (now - start < nanos);
            millions = calls * 1e3 / (now - start);
            return calls;
        }

        private double millions() {
            return millions;
        }
    }

    private void report() {
        List<Rate> below = rates.stream().filter(Rate::isBelowGoal).toList();
        System.out.printf(
                Locale.ROOT,
                "%d functions measured, %d not; below their goal: %d%n",
                rates.size(),
                notMeasured.size(),
                below.size());
        System.out.printf(
                "%n| family | goal | functions | below | slowest | median | fastest |%n|---|---|---|---|---|---|---|%n");
        for (FunctionFamily family : FunctionFamily.values()) {
            List<Rate> of = of(family);
            if (!of.isEmpty()) {
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %d | %d | %.1f | %.1f | %.1f |%n",
                        family.label(),
                        family.goal() == 0 ? "" : family.goal(),
                        of.size(),
                        of.stream().filter(Rate::isBelowGoal).count(),
                        of.getFirst().rate(),
                        of.get(of.size() / 2).rate(),
                        of.getLast().rate());
            }
        }
        table(
                "Below the goal of their family",
                below.stream().sorted(Comparator.comparing(Rate::rate)).toList());
        for (FunctionFamily family : FunctionFamily.values()) {
            table(family.label(), of(family));
        }
        System.out.printf("%nNot measured:%n%n| function | why |%n|---|---|%n");
        notMeasured.forEach((signature, why) -> System.out.printf("| %s | %s |%n", escaped(signature), escaped(why)));
    }

    private List<Rate> of(FunctionFamily family) {
        return rates.stream()
                .filter(rate -> rate.family() == family)
                .sorted(Comparator.comparing(Rate::rate))
                .toList();
    }

    private static void table(String title, List<Rate> rows) {
        if (rows.isEmpty()) {
            return;
        }
        System.out.printf(
                "%n## %s%n%n| function | M calls/s | with NULLs | over a dictionary | bytes a call | computed as | arguments |%n"
                        + "|---|---|---|---|---|---|---|%n",
                title);
        for (Rate rate : rows) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f | %s | %s | %.0f | %s | %s |%n",
                    escaped(rate.row().signature()),
                    rate.rate(),
                    shown(rate.withNulls()),
                    shown(rate.coded()),
                    rate.bytes(),
                    rate.kind(),
                    escaped(rate.call()));
        }
    }

    private static String shown(double rate) {
        return Double.isNaN(rate) ? "" : String.format(Locale.ROOT, "%.1f", rate);
    }

    private static String escaped(String text) {
        return text.replace("|", "\\|").replace('\n', ' ');
    }
}
