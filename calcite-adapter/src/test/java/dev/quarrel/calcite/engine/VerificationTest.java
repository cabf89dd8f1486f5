package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.cpu.CpuDevice;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.core.device.ForwardingContext;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `quarrel.verify_fraction`: a device that computes wrongly is found out.
final class VerificationTest {
    private static final String SUMS = "select a, sum(a + 10) as s from t group by a order by a";

    private Engine engine;
    private SqlSession session;

    /// Reads each integer constant as one more than it is, and says that it is the quickest of all devices.
    private record Broken(CpuDevice cpu) implements Device {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public String description() {
            return "adds one";
        }

        @Override
        public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
            return new Lowering.Supported(0);
        }

        @Override
        public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
            return cpu.prepare(plan, pipeline, new OneMore(context));
        }

        @Override
        public void close() {
            cpu.close();
        }
    }

    private record OneMore(PipelineContext context) implements ForwardingContext {
        @Override
        public List<Literal> slotValues() {
            List<Literal> values = new ArrayList<>();
            for (Literal literal : context.slotValues()) {
                boolean isInteger = literal.type().equals(DataType.INT32) && literal.value() != null;
                values.add(isInteger ? new Literal(DataType.INT32, (long) literal.value() + 1) : literal);
            }
            return values;
        }
    }

    private static final class BrokenProvider implements DeviceProvider {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public Probe probe(DeviceConfig config) {
            return new Probe.Found(new Broken(new CpuDevice(config)));
        }
    }

    private void open(DeviceProvider... providers) {
        engine = LocalEngine.open(TestCatalog.small(), EngineConfig.defaults().withThreads(2), List.of(providers));
        session = engine.openSession("tester");
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private List<String> answer(String sql) {
        List<String> lines = new ArrayList<>();
        for (var statement : session.parse(sql)) {
            try (Execution execution =
                    session.execute(session.prepare(statement, List.of()), List.of(), new Cancellation())) {
                Answers.read(execution, lines);
            }
        }
        return lines;
    }

    @ParameterizedTest
    @CsvSource({"-1", "16384"})
    void aBrokenDeviceIsFoundOut(long inlineRows) {
        engine = LocalEngine.open(
                TestCatalog.small(),
                EngineConfig.defaults().withThreads(2).withInlineRows(inlineRows),
                List.of(new BrokenProvider()));
        session = engine.openSession("tester");
        List<String> wrong = answer(SUMS);
        answer("set quarrel.verify_fraction = 1");
        QueryException found = catchThrowableOfType(QueryException.class, () -> answer(SUMS));
        assertThat(found).hasMessageContaining("makes other rows by broken than by cpu (interpreted)");
        assertThat(found.state()).isEqualTo(SqlState.INTERNAL_ERROR);
        assertThat(found.detail())
                .containsPattern("Only one of them has \\(1, \\d+\\) by broken, \\(1, \\d+\\) by cpu \\(interpreted\\)")
                .contains("sink aggregate keys");
        assertThat(found.hint()).contains("quarrel.verify_fraction = 1.0 with quarrel.verify_seed = 0 chose pipeline");
        assertThat(engine.counts().verified()).containsEntry("different", 1L);
        answer("set quarrel.verify_fraction = 0");
        assertThat(answer(SUMS)).isEqualTo(wrong);
        answer("set quarrel.device = cpu");
        assertThat(answer(SUMS)).isNotEqualTo(wrong);
        answer("set quarrel.verify_fraction = 1");
        assertThatThrownBy(() -> answer(SUMS)).hasMessageContaining("by cpu (interpreted) than by broken");
    }

    @Test
    void rowsThatLeaveAtOnceAreCompared() {
        open(new BrokenProvider());
        answer("set quarrel.verify_fraction = 1");
        assertThatThrownBy(() -> answer("select a, a + 10 from t where a = 1"))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        found -> assertThat(found.detail()).contains("by broken"));
    }

    @Test
    void theSeedAndTheFractionChoose() {
        open();
        answer("set quarrel.verify_fraction = 0.25; set quarrel.verify_seed = 7");
        for (int run = 0; run < 200; run++) {
            answer("select count(*) from t where a < " + run);
        }
        long equal = engine.counts().verified().get("equal");
        assertThat(equal).isBetween(40L, 200L); // of 200 or 400 pipelines
        assertThat(engine.counts().verified()).containsEntry("different", 0L);
    }

    @Test
    void whatMayDifferIsLeftOut() {
        open();
        answer("set quarrel.verify_fraction = 1");
        assertThat(answer("select random() from t")).hasSize(4);
        assertThat(answer("select count(*) from t where random() < 0.5")).hasSize(1);
        assertThat(answer("select a from t limit 1")).hasSize(1);
        assertThat(engine.counts().verified()).containsEntry("different", 0L);
        assertThat(engine.counts().verified().get("skipped")).isPositive();
    }
}
