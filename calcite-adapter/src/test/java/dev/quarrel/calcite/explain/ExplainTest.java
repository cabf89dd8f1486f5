package dev.quarrel.calcite.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.lower.ExpectedRows;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private static final Device CPU = new Device() {
        @Override
        public String name() {
            return "cpu";
        }

        @Override
        public String description() {
            return "a CPU";
        }

        @Override
        public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
            return new Lowering.Supported(1);
        }

        @Override
        public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    };

    /// SELECT d_year, sum(lo_revenue) … WHERE lo_discount BETWEEN 1 AND $1 AND d_year = 1993 GROUP BY 1 ORDER
    /// BY 2 DESC LIMIT 3
    private static QueryPlan plan() {
        List<Slot> slots = List.of(
                new Slot.Constant(new Literal(DataType.INT32, 1993L)),
                new Slot.Constant(new Literal(DataType.INT32, 1L)),
                new Slot.Parameter(1, DataType.INT32));
        ProgramBuilder date = new ProgramBuilder(List.of(DataType.INT32, DataType.INT32));
        int year = date.load(1, 0);
        int is1993 = date.value(Opcode.EQ_INT32, DataType.BOOL, 0, 0, year, date.constant(0, DataType.INT32, 0));
        int inYear = date.mask(Opcode.MASK_TRUE, 0, is1993);
        Pipeline build = new Pipeline(
                0,
                new Source.TableScan("public", "date", List.of("d_datekey", "d_year"), date2(), List.of()),
                List.of(date.build(inYear, List.of(date.load(0, inYear), year), slots)),
                List.of(),
                new Sink.HashBuild(List.of(0), List.of(1)));
        ProgramBuilder fact = new ProgramBuilder(List.of(DataType.INT32, DataType.INT32, DataType.INT32));
        int discount = fact.load(0, 0);
        int low = fact.value(Opcode.GE_INT32, DataType.BOOL, 0, 0, discount, fact.constant(1, DataType.INT32, 0));
        int first = fact.mask(Opcode.MASK_TRUE, 0, low);
        int high =
                fact.value(Opcode.LE_INT32, DataType.BOOL, first, 0, discount, fact.constant(2, DataType.INT32, first));
        int kept = fact.mask(Opcode.MASK_TRUE, first, high);
        ProgramBuilder after = new ProgramBuilder(date2());
        Pipeline aggregate = new Pipeline(
                1,
                new Source.TableScan(
                        "public",
                        "lineorder",
                        List.of("lo_discount", "lo_orderdate", "lo_revenue"),
                        List.of(DataType.INT32, DataType.INT32, DataType.INT32),
                        List.of()),
                List.of(
                        fact.build(kept, List.of(fact.load(1, kept), fact.load(2, kept)), slots),
                        after.build(0, List.of(after.load(0, 0), after.load(1, 0)), slots)),
                List.of(new Join(JoinKind.INNER, 0, List.of(0), List.of(1), List.of(0))),
                new Sink.Aggregate(List.of(1), List.of(new AggregateCall(AggregateKind.SUM, 0, -1))));
        List<DataType> groups = aggregate.rowTypes();
        Pipeline sort = new Pipeline(
                2,
                new Source.Rows(1, groups),
                List.of(all(groups, slots)),
                List.of(),
                new Sink.Sort(List.of(new SortKey(1, true, true)), Sink.Bound.ZERO, Sink.Bound.of(3)));
        Pipeline root = new Pipeline(
                3,
                new Source.Rows(2, groups),
                List.of(all(groups, slots)),
                List.of(),
                new Sink.Result(List.of("d_year", "sum"), Sink.Bound.ZERO, Sink.Bound.NONE));
        return new QueryPlan(slots, List.of(build, aggregate, sort, root));
    }

    private static List<DataType> date2() {
        return List.of(DataType.INT32, DataType.INT32);
    }

    private static Program all(List<DataType> types, List<Slot> slots) {
        ProgramBuilder builder = new ProgramBuilder(types);
        List<Integer> outputs = new ArrayList<>();
        for (int input = 0; input < types.size(); input++) {
            outputs.add(builder.load(input, 0));
        }
        return builder.build(0, outputs, slots);
    }

    private static Placement onCpu(QueryPlan plan) {
        return new Placement(plan.pipelines().stream()
                .map(_ -> new Placement.Choice(CPU, "cuda: built without kernels"))
                .toList());
    }

    @Test
    void writesPostgresqlsLayoutWithADeviceAPipeline() {
        QueryPlan plan = plan();
        assertThat(Explain.lines(plan, onCpu(plan), Map.of(), Map.of(), new Explain.Options(false, true, true, 0)))
                .containsExactly("""
                        Result
                          Device: cpu (cuda: built without kernels)
                          ->  Top-N Sort
                                Sort Key: sum(lo_revenue) DESC
                                Limit: 3
                                Device: cpu (cuda: built without kernels)
                                ->  HashAggregate
                                      Group Key: d_year
                                      Aggregates: sum(lo_revenue)
                                      Device: cpu (cuda: built without kernels)
                                      ->  Hash Join
                                            Hash Cond: (lo_orderdate = d_datekey)
                                            ->  Seq Scan on lineorder
                                                  Filter: (lo_discount >= 1) AND (lo_discount <= $1)
                                            ->  Hash
                                                  Hash Key: d_datekey
                                                  Device: cpu (cuda: built without kernels)
                                                  ->  Seq Scan on date
                                                        Filter: (d_year = 1993)
                        """.split("\n"));
    }

    @Test
    void analyzeShowsWhatEachPipelineDid() {
        QueryPlan plan = plan();
        PipelineCounters counted = new PipelineCounters();
        counted.rowsIn.add(6000);
        counted.rowsOut.add(7);
        counted.elapsedNanos.add(1_234_567);
        counted.prepareNanos.add(500_000);
        counted.workNanos.add(2_000_000);
        counted.bytesRead.add(8_000_000);
        counted.batchesRead.add(3);
        counted.batchesSkipped.add(2);
        List<String> lines = Explain.lines(
                plan, onCpu(plan), Map.of(1, counted), Map.of(), new Explain.Options(false, true, true, 0));
        assertThat(lines)
                .contains("        ->  HashAggregate  (actual time=1.235 rows=7)")
                .contains("              Rows: 6000 in, 7 out", "              Tier: interpreted")
                .contains("              Time: 1.235 ms after 0.500 ms of preparation; workers 2.000 ms")
                .contains("              Read: 6000 rows, 8000000 bytes in 3 batches; 2 batches skipped; 6.5 GB/s")
                .anyMatch(line -> line.endsWith("Seq Scan on lineorder  (actual read=6000)"));
        counted.rowsCompiled.add(6000);
        assertThat(Explain.lines(
                        plan, onCpu(plan), Map.of(1, counted), Map.of(), new Explain.Options(false, true, false, 2)))
                .contains("              Tier: compiled")
                .noneMatch(line -> line.contains("Time: ") || line.contains("GB/s"));
        assertThat(Explain.lines(
                        plan, onCpu(plan), Map.of(1, counted), Map.of(), new Explain.Options(false, true, true, 2)))
                .anyMatch(line ->
                        line.matches(".*; 6\\.5 GB/s, \\d+ % of the [\\d.]+ GB/s that 2 threads read memory at"));
    }

    @Test
    void verboseListsTheOpcodes() {
        QueryPlan plan = plan();
        assertThat(Explain.lines(plan, onCpu(plan), Map.of(), Map.of(), new Explain.Options(true, true, true, 0)))
                .contains("  Output: d_year, sum(lo_revenue) AS sum")
                .contains("  source scan public.date (d_datekey int32, d_year int32)")
                .anyMatch(line -> line.contains("r3 bool = eq_int32(r1, r2) under r0"));
    }

    private static String written(PlanFormat format, boolean verbose, Map<Integer, PipelineCounters> counters) {
        QueryPlan plan = plan();
        Map<Integer, ExpectedRows> expected = Map.of(
                0, new ExpectedRows(List.of(365.0), 365),
                1, new ExpectedRows(List.of(3000.0, 430.0), 7),
                2, new ExpectedRows(List.of(7.0), 3),
                3, new ExpectedRows(List.of(3.0), 3));
        PlanTree tree = new Explain(
                        plan,
                        onCpu(plan),
                        counters,
                        expected,
                        new Explain.Options(verbose, true, true, false, format != PlanFormat.TEXT, 0),
                        _ -> null,
                        List.of(new Literal(DataType.INT32, 3L)),
                        List.of())
                .part();
        boolean isAnalyzed = !counters.isEmpty();
        return String.join(
                "\n",
                new PlanReport(List.of(), tree, null, -1, 1_234_567, isAnalyzed ? 2_000_000 : -1, isAnalyzed)
                        .rows(format));
    }

    @Test
    void theFirstLineHasTheCostThatClientsReadThere() {
        assertThat(written(PlanFormat.TEXT, false, Map.of()).lines())
                .startsWith("Result  (cost=71.67..71.67 rows=3 width=12)")
                .contains("  ->  Top-N Sort  (rows=3)")
                .anyMatch(line -> line.endsWith("Filter: (lo_discount >= 1) AND (lo_discount <= 3)"))
                .endsWith("Planning Time: 1.235 ms");
    }

    @Test
    void jsonHasPostgresqlsShape() {
        PipelineCounters counted = new PipelineCounters();
        counted.rowsIn.add(6000);
        counted.rowsOut.add(7);
        counted.elapsedNanos.add(1_500_000);
        counted.addSteps(new long[] {6000, 3100, 440, 440});
        PipelineCounters built = new PipelineCounters();
        built.rowsIn.add(2556);
        built.rowsOut.add(365);
        built.elapsedNanos.add(500_000);
        String written = written(PlanFormat.JSON, false, Map.of(0, built, 1, counted));
        assertThat(written).isEqualTo(golden("explain.json", written));
    }

    @Test
    void yamlHasPostgresqlsShape() {
        String written = written(PlanFormat.YAML, true, Map.of());
        assertThat(written).isEqualTo(golden("explain.yaml", written));
    }

    @Test
    void xmlHasPostgresqlsShape() {
        String written = written(PlanFormat.XML, false, Map.of());
        assertThat(written).isEqualTo(golden("explain.xml", written));
    }

    /// `-Dupdate` rewrites; a person reads it.
    private static String golden(String name, String written) {
        Path file = Path.of("src/test/resources/dev/quarrel/calcite", name);
        try {
            if (System.getProperty("update") != null) {
                Files.writeString(file, written + "\n");
            }
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
