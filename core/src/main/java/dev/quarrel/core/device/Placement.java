package dev.quarrel.core.device;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// The choice of a device for each pipeline, with the reason: a pure function of plan, hints and devices.
///
/// @param choices one a pipeline, in the plan's order
public record Placement(List<Choice> choices) {
    public Placement {
        choices = List.copyOf(choices);
    }

    /// @param reason for EXPLAIN: why this device, or why not a better one
    /// @param isRequired whether a part that runs on the CPU instead is an error
    /// @param cpuSeconds what the CPU is expected to take, where it is free to take the pipeline back;
    ///     infinite where the session asks for the device
    public record Choice(Device device, String reason, boolean isRequired, double cpuSeconds) {
        /// Nothing was chosen: the pipeline runs where it is given to.
        public static final Choice NONE = new Choice(null, "");

        public Choice(Device device, String reason) {
            this(device, reason, false, Double.POSITIVE_INFINITY);
        }
    }

    /// The preference of a session among devices.
    public enum Preference {
        AUTO,
        CPU,
        CUDA
    }

    /// The cheapest device that can run each pipeline.
    ///
    /// @param missingDevices devices that this machine does not have, by name, with the reason: part of every
    /// answer
    /// - Errors: 0A000 when none can, with the reasons; and, with `requireGpu`, when a pipeline would not run
    ///   on a GPU; join tables may, and what reads the rows of other pipelines.
    public static Placement of(
            QueryPlan plan,
            List<Device> devices,
            Map<String, String> missingDevices,
            Function<Pipeline, PlacementHints> hints,
            Preference preference,
            boolean requireGpu) {
        // Those that look keys up come first: a join's table is made where that is.
        Choice[] choices = new Choice[plan.pipelines().size()];
        for (int index = choices.length - 1; index >= 0; index--) {
            Pipeline pipeline = plan.pipelines().get(index);
            choices[index] = choose(
                    plan,
                    pipeline,
                    devices,
                    users(plan, pipeline, choices),
                    missingDevices,
                    hints.apply(pipeline),
                    preference,
                    requireGpu && isDemanding(pipeline));
        }
        return new Placement(List.of(choices));
    }

    /// The devices of the pipelines that look up what a pipeline makes a table of; null for what makes none.
    private static Set<Device> users(QueryPlan plan, Pipeline pipeline, Choice[] choices) {
        if (!(pipeline.sink() instanceof Sink.HashBuild)) {
            return null;
        }
        Set<Device> users = new HashSet<>();
        for (int index = 0; index < choices.length; index++) {
            for (Join join : plan.pipelines().get(index).joins()) {
                if (join.build() == pipeline.id() && choices[index] != null) {
                    users.add(choices[index].device());
                }
            }
        }
        return users;
    }

    /// Whether a session that requires a GPU requires it for this: not for what others have made, which is little after
    /// groups, and not for the sides that joins look up.
    private static boolean isDemanding(Pipeline pipeline) {
        return !(pipeline.source() instanceof Source.Rows) && !(pipeline.sink() instanceof Sink.HashBuild);
    }

    private static Choice choose(
            QueryPlan plan,
            Pipeline pipeline,
            List<Device> devices,
            Set<Device> users,
            Map<String, String> missingDevices,
            PlacementHints hints,
            Preference preference,
            boolean requireGpu) {
        Device best = null;
        double bestCost = Double.POSITIVE_INFINITY;
        double cpuCost = Double.POSITIVE_INFINITY;
        List<String> refusals = new ArrayList<>();
        List<String> estimates = new ArrayList<>();
        missingDevices.forEach((name, reason) -> refusals.add(name + ": " + reason));
        for (Device device : devices) {
            boolean isCpu = device.name().equals("cpu");
            if (preference == Preference.CPU && !isCpu) {
                refusals.add(device.name() + ": quarrel.device = cpu");
                continue;
            }
            if (users != null && !isCpu && !users.equals(Set.of(device))) {
                refusals.add(device.name() + ": its keys are looked up elsewhere");
                continue;
            }
            switch (device.lower(plan, pipeline, hints)) {
                case Lowering.Unsupported(String reason) -> refusals.add(device.name() + ": " + reason);
                case Lowering.Supported(double costSeconds, String basis) -> {
                    // A GPU that is asked for is taken wherever it can be.
                    boolean isUnwanted = isCpu && (preference == Preference.CUDA || requireGpu);
                    double cost = isUnwanted ? Double.MAX_VALUE : costSeconds;
                    cpuCost = isCpu && !isUnwanted ? costSeconds : cpuCost;
                    estimates.add(estimate(device, costSeconds, basis));
                    if (best == null || cost < bestCost) {
                        best = device;
                        bestCost = cost;
                    }
                }
            }
        }
        if (best == null) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "no device can run pipeline " + pipeline.id())
                    .withDetail(String.join("; ", refusals));
        }
        if (requireGpu && best.name().equals("cpu")) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "pipeline " + pipeline.id() + " would run on the CPU")
                    .withDetail(refusals.isEmpty() ? "no GPU device was found" : String.join("; ", refusals))
                    .withHint("SET quarrel.require_gpu = off");
        }
        List<String> reasons = new ArrayList<>(refusals);
        if (devices.size() == 1 && refusals.isEmpty()) {
            reasons.add("the only device");
        } else if (estimates.size() > 1) {
            reasons.add(
                    preference == Preference.CUDA || requireGpu
                            ? "asked for"
                            : "lowest estimated cost: " + String.join(", ", estimates));
        }
        return new Choice(best, String.join("; ", reasons), requireGpu, cpuCost);
    }

    private static String estimate(Device device, double seconds, String basis) {
        return String.format(
                Locale.ROOT, "%s %.2f ms%s", device.name(), seconds * 1e3, basis.isEmpty() ? "" : " (" + basis + ")");
    }
}
