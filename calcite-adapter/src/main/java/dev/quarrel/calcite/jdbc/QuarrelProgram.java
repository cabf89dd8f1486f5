package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.rules.Optimizer;
import dev.quarrel.calcite.rules.OtherTypeCheck;
import dev.quarrel.calcite.rules.RexChecker;
import dev.quarrel.calcite.schema.QuarrelTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.runtime.Hook;
import org.apache.calcite.tools.Program;
import org.apache.calcite.tools.Programs;
import org.apache.calcite.util.Holder;

/// The optimiser that Calcite's JDBC driver runs: a statement that reads only tables of a single Quarrel engine
/// goes as a whole to Quarrel's optimiser, and any other to Calcite's standard one, with [PushRules] for our tables.
final class QuarrelProgram implements Program {
    private static final AtomicBoolean INSTALLED = new AtomicBoolean();

    private final Program usual = Programs.standard(DefaultRelMetadataProvider.INSTANCE, true);

    /// Makes it known to Calcite, once a process: a hook is the only way in for a schema.
    static void install() {
        if (!INSTALLED.getAndSet(true)) {
            Hook.PROGRAM.add((Consumer<Holder<Program>>) holder -> {
                if (holder.get() == null) {
                    holder.set(new QuarrelProgram());
                }
            });
        }
    }

    @Override
    public RelNode run(
            RelOptPlanner planner,
            RelNode rel,
            RelTraitSet requiredOutputTraits,
            List<RelOptMaterialization> materializations,
            List<RelOptLattice> lattices) {
        Engine engine = engine(rel);
        OtherTypeCheck.requireWithoutCasts(rel);
        CollationCheck.require(rel);
        if (engine == null) {
            return usual.run(planner, rel, requiredOutputTraits, materializations, lattices);
        }
        RexChecker.require(rel);
        planner.setExecutor((_, constants, reduced) -> reduced.addAll(constants));
        return new QuarrelToEnumerable(
                rel.getCluster(), requiredOutputTraits, Optimizer.optimize(overOurScans(rel)), engine);
    }

    /// The statement over scans that our own planner knows.
    private static RelNode overOurScans(RelNode root) {
        return root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                RelNode visited = super.visit(rel);
                return visited.accept(new RexShuttle() {
                    @Override
                    public RexNode visitSubQuery(RexSubQuery query) {
                        return query.clone(overOurScans(query.rel));
                    }
                });
            }

            @Override
            public RelNode visit(TableScan scan) {
                return scan instanceof QuarrelTableScan ours ? PushedPart.scan(ours) : scan;
            }
        });
    }

    /// The engine whose tables the statement reads, if it reads no others; else null.
    private static Engine engine(RelNode root) {
        List<Engine> engines = new ArrayList<>();
        collect(root, engines);
        boolean isOne = !engines.isEmpty() && engines.stream().allMatch(engine -> engine == engines.getFirst());
        return isOne ? engines.getFirst() : null;
    }

    private static void collect(RelNode root, List<Engine> engines) {
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                rel.accept(new RexShuttle() {
                    @Override
                    public RexNode visitSubQuery(RexSubQuery query) {
                        collect(query.rel, engines);
                        return query;
                    }
                });
                return super.visit(rel);
            }

            @Override
            public RelNode visit(TableScan scan) {
                engines.add(
                        scan instanceof QuarrelTableScan
                                ? scan.getTable().unwrap(QuarrelTable.class).engine()
                                : null);
                return scan;
            }
        });
    }
}
