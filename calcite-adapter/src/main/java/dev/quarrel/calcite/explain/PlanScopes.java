package dev.quarrel.calcite.explain;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.table.ElementsName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Says what the columns are that a plan's programs read and make, as expressions over the tables' columns.
final class PlanScopes {
    private final List<Slot> slots;
    private final Explain.Options options;
    private final Map<Integer, Pipeline> pipelines = new HashMap<>();
    private final Map<Integer, String> aliases = new HashMap<>();
    private final Map<Integer, List<String>> made = new HashMap<>(); // a plan's pipelines may be read by several

    /// @param slots those of the plan, as they are shown
    PlanScopes(QueryPlan plan, List<Slot> slots, Explain.Options options) {
        this.slots = slots;
        this.options = options;
        Map<String, Integer> uses = new HashMap<>();
        for (Pipeline pipeline : plan.pipelines()) {
            pipelines.put(pipeline.id(), pipeline);
            if (pipeline.source() instanceof Source.TableScan scan && !Explain.isOfHost(scan)) {
                String name = ElementsName.shown(scan.tableName());
                int use = uses.merge(name, 1, Integer::sum);
                // PostgreSQL tells a table that is read several times apart like this.
                aliases.put(pipeline.id(), use == 1 ? name : name + "_" + (use - 1));
            }
        }
    }

    /// What a scan's table is called; it is no scan of the host's rows.
    String alias(Pipeline pipeline) {
        return aliases.get(pipeline.id());
    }

    /// Of the rows that a pipeline's sink makes.
    List<String> made(Pipeline pipeline) {
        List<String> known = made.get(pipeline.id());
        if (known == null) {
            known = sinkNames(pipeline);
            made.put(pipeline.id(), known);
        }
        return known;
    }

    private List<String> sinkNames(Pipeline pipeline) {
        List<String> outputs = expressions(
                        pipeline, of(pipeline), pipeline.programs().size() - 1)
                .outputs();
        return switch (pipeline.sink()) {
            case Sink.Result _, Sink.Sort _, Sink.Last _, Sink.Collect _, Sink.Feed _ -> outputs;
            case Sink.Window window -> {
                List<String> names = new ArrayList<>(outputs);
                window.calls().forEach(call -> names.add(PlanWords.name(call)));
                yield names;
            }
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean _) -> {
                List<String> names =
                        new ArrayList<>(keys.stream().map(outputs::get).toList());
                names.addAll(payload.stream().map(outputs::get).toList());
                yield names;
            }
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                List<String> names =
                        new ArrayList<>(keys.stream().map(outputs::get).toList());
                calls.forEach(call -> names.add(PlanWords.call(call, outputs)));
                if (!sets.isEmpty()) {
                    names.addAll(Collections.nCopies(sets.getFirst().numbers().size(), "grouping()"));
                }
                yield names;
            }
        };
    }

    /// A column that its inputs name differently has a number alone.
    private List<String> fedNames(List<Integer> feeding) {
        List<List<String>> all =
                feeding.stream().map(id -> made(pipelines.get(id))).toList();
        List<String> names = new ArrayList<>();
        for (int column = 0; column < all.getFirst().size(); column++) {
            int place = column;
            String name = all.getFirst().get(column);
            boolean isSame = all.stream().allMatch(each -> each.get(place).equals(name));
            names.add(isSame ? name : "column" + (column + 1));
        }
        return names;
    }

    /// For each program of a pipeline an expression for each of its inputs.
    List<List<String>> of(Pipeline pipeline) {
        List<List<String>> scopes = new ArrayList<>();
        scopes.add(
                switch (pipeline.source()) {
                    case Source.TableScan scan -> columns(pipeline, scan);
                    case Source.Rows(int maker, var _) -> made(pipelines.get(maker));
                    case Source.Union(List<Integer> feeding, var _) -> fedNames(feeding);
                    case Source.Values(int _, var types, var _) ->
                        IntStream.rangeClosed(1, types.size())
                                .mapToObj(index -> "column" + index)
                                .toList();
                });
        for (int index = 0; index < pipeline.joins().size(); index++) {
            Join join = pipeline.joins().get(index);
            List<String> outputs = expressions(pipeline, scopes, index).outputs();
            Pipeline build = pipelines.get(join.build());
            List<String> built = made(build);
            int keyCount = ((Sink.HashBuild) build.sink()).keys().size();
            List<String> names =
                    new ArrayList<>(join.carried().stream().map(outputs::get).toList());
            join.payload().forEach(column -> names.add(built.get(keyCount + column)));
            if (join.kind().hasMark()) {
                names.add("mark");
            }
            scopes.add(names);
        }
        return scopes;
    }

    PlanExpressions expressions(Pipeline pipeline, List<List<String>> scopes, int index) {
        return new PlanExpressions(pipeline.programs().get(index), slots, scopes.get(index));
    }

    private List<String> columns(Pipeline pipeline, Source.TableScan scan) {
        String alias = aliases.get(pipeline.id());
        if (!options.qualifies() || alias == null || !options.verbose() && aliases.size() == 1) {
            return scan.columnNames();
        }
        return scan.columnNames().stream()
                .map(column -> Identifiers.quoted(alias) + "." + Identifiers.quoted(column))
                .toList();
    }
}
