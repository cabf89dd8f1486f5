package dev.quarrel.core.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.device.Placement.Preference;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final QueryPlan PLAN = new QueryPlan(
            List.of(),
            List.of(new Pipeline(
                    0,
                    new Source.Values(1, List.of(), List.of()),
                    List.of(new Program(List.of(), List.of(RegisterType.MASK), List.of(), 0, List.of())),
                    List.of(),
                    new Sink.Result(List.of(), Sink.Bound.ZERO, Sink.Bound.NONE))));

    private record Answering(String name, Lowering lowering) implements Device {
        @Override
        public String description() {
            return name;
        }

        @Override
        public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
            return lowering;
        }

        @Override
        public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private static final Device SLOW_CPU = new Answering("cpu", new Lowering.Supported(2));
    private static final Device FAST_CPU = new Answering("cpu", new Lowering.Supported(0.01));
    private static final Device GPU = new Answering("cuda", new Lowering.Supported(1));
    private static final Device NO_LIKE = new Answering("cuda", new Lowering.Unsupported("LIKE has no kernel"));

    private static Placement.Choice choose(Preference preference, boolean requireGpu, Device... devices) {
        return Placement.of(PLAN, List.of(devices), Map.of(), _ -> PlacementHints.UNKNOWN, preference, requireGpu)
                .choices()
                .getFirst();
    }

    @Test
    void aMissingDeviceIsPartOfTheReason() {
        Placement placement = Placement.of(
                PLAN,
                List.of(SLOW_CPU),
                Map.of("cuda", "built without kernels"),
                _ -> PlacementHints.UNKNOWN,
                Preference.AUTO,
                false);
        assertThat(placement.choices().getFirst().reason()).isEqualTo("cuda: built without kernels");
    }

    @Test
    void theCheapestDeviceIsTaken() {
        assertThat(choose(Preference.AUTO, false, SLOW_CPU, GPU).device()).isSameAs(GPU);
        assertThat(choose(Preference.AUTO, false, FAST_CPU, GPU).device()).isSameAs(FAST_CPU);
        assertThat(choose(Preference.AUTO, false, FAST_CPU).reason()).isEqualTo("the only device");
    }

    @Test
    void theSessionsWishComesFirst() {
        assertThat(choose(Preference.CPU, false, SLOW_CPU, GPU).device()).isSameAs(SLOW_CPU);
        assertThat(choose(Preference.CUDA, false, FAST_CPU, GPU).device()).isSameAs(GPU);
    }

    @Test
    void aRefusalIsTold() {
        Placement.Choice choice = choose(Preference.CUDA, false, FAST_CPU, NO_LIKE);
        assertThat(choice.device()).isSameAs(FAST_CPU);
        assertThat(choice.reason()).isEqualTo("cuda: LIKE has no kernel");
    }

    @Test
    void aMissingDeviceIsToldToo() {
        Placement.Choice choice = Placement.of(
                        PLAN,
                        List.of(FAST_CPU),
                        Map.of("cuda", "no driver"),
                        _ -> PlacementHints.UNKNOWN,
                        Preference.AUTO,
                        false)
                .choices()
                .getFirst();
        assertThat(choice.device()).isSameAs(FAST_CPU);
        assertThat(choice.reason()).contains("cuda", "no driver");
    }

    @Test
    void aRequiredGpuIsNeverFallenBackFrom() {
        assertThat(choose(Preference.AUTO, true, SLOW_CPU, GPU).device()).isSameAs(GPU);
        assertThatThrownBy(() -> choose(Preference.AUTO, true, FAST_CPU, NO_LIKE))
                .isInstanceOfSatisfying(QueryException.class, error -> {
                    assertThat(error.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED);
                    assertThat(error.detail()).isEqualTo("cuda: LIKE has no kernel");
                });
        assertThatThrownBy(() -> choose(Preference.AUTO, false, NO_LIKE)).isInstanceOf(QueryException.class);
    }

    @Test
    void theCpuIsFoundByItsProvider() {
        DeviceProvider provider = ServiceLoader.load(DeviceProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(found -> found.name().equals("cpu"))
                .findFirst()
                .orElseThrow();
        DeviceProvider.Probe probe = provider.probe(DeviceConfig.ofThreads(3));
        assertThat(probe).isInstanceOfSatisfying(DeviceProvider.Probe.Found.class, found -> {
            try (Device device = found.device()) {
                assertThat(device.name()).isEqualTo("cpu");
                assertThat(device.description()).contains("3 threads");
                Lowering few = device.lower(PLAN, PLAN.root(), new PlacementHints(10, 100));
                Lowering many = device.lower(PLAN, PLAN.root(), new PlacementHints(1_000_000, 100));
                assertThat(((Lowering.Supported) few).costSeconds())
                        .isLessThan(((Lowering.Supported) many).costSeconds());
            }
        });
    }
}
