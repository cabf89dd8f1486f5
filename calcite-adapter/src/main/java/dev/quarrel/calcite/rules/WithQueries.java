package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.rel.SharedRows;
import dev.quarrel.calcite.rel.WithRows;
import dev.quarrel.calcite.sql.function.Volatile;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;

/// Decides for each WITH query whether its rows are made once, or it stands wherever it is read.
///
/// - Read once, or with NOT MATERIALIZED: it stands where it is read, so that conditions reach its tables.
/// - With MATERIALIZED, or read several times: its rows are made once ([SharedRows]). One that only picks rows and
///   columns of one table, or of another such query, is as quickly read again as its rows are kept, and conditions of
///   each reader skip batches of the table: it stands where it is read, unless it is MATERIALIZED.
/// - Of random values, and read several times: its rows are made once in any case.
/// - One that refers to a row around it has other rows each time, and stands where it is read.
///
/// - Errors: 0A000 for one of random values that refers to a row around it and is read several times.
final class WithQueries {
    private final Map<WithRows.Query, Integer> reads = new IdentityHashMap<>();
    private final Map<WithRows.Query, RelNode> made = new IdentityHashMap<>();
    private final Map<RelNode, RelNode> known = new IdentityHashMap<>();
    private final Set<String> names = new HashSet<>();

    private WithQueries() {}

    static RelNode apply(RelNode root) {
        WithQueries queries = new WithQueries();
        queries.count(root);
        return queries.reads.isEmpty() ? root : queries.rewritten(root);
    }

    private void count(RelNode rel) {
        PlanningLimits.tick();
        if (rel instanceof WithRows rows && reads.merge(rows.query(), 1, Integer::sum) > 1) {
            return; // what it reads itself has been counted
        }
        rel.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                count(query.rel);
                return super.visitSubQuery(query);
            }
        });
        rel.getInputs().forEach(this::count);
    }

    private RelNode rewritten(RelNode rel) {
        RelNode done = known.get(rel);
        if (done == null) {
            done = rel instanceof WithRows rows ? made(rows) : rewrite(rel);
            known.put(rel, done);
        }
        return done;
    }

    private RelNode rewrite(RelNode rel) {
        PlanningLimits.tick();
        List<RelNode> inputs = rel.getInputs().stream().map(this::rewritten).toList();
        boolean isSame = IntStream.range(0, inputs.size()).allMatch(index -> inputs.get(index) == rel.getInput(index));
        RelNode copy = isSame ? rel : rel.copy(rel.getTraitSet(), inputs);
        return copy.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexSubQuery inner = (RexSubQuery) super.visitSubQuery(query);
                RelNode below = rewritten(inner.rel);
                return below == inner.rel ? inner : inner.clone(below);
            }
        });
    }

    private RelNode made(WithRows rows) {
        RelNode rel = made.get(rows.query());
        if (rel == null) {
            RelNode input = rewritten(rows.getInput());
            rel = isShared(rows) ? SharedRows.of(rows.getCluster(), new SharedQuery(name(rows.query()), input)) : input;
            made.put(rows.query(), rel);
        }
        return rel;
    }

    private String name(WithRows.Query query) {
        String name = query.name();
        for (int number = 2; !names.add(name); number++) {
            name = query.name() + "#" + number;
        }
        return name;
    }

    private boolean isShared(WithRows rows) {
        boolean isReadAgain = reads.get(rows.query()) > 1;
        boolean isRandom = isReadAgain && Volatile.in(rows.getInput());
        if (new Surroundings().reaches(rows.getInput())) {
            if (isRandom) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: a WITH query of random values that refers to a row around it and is read twice");
            }
            return false;
        }
        return switch (rows.query().materialized()) {
            case YES -> true;
            case NO -> isRandom;
            case UNSAID -> isRandom || isReadAgain && !picksOnly(rows.getInput());
        };
    }

    /// Whether a query only picks rows and columns of one table.
    private boolean picksOnly(RelNode rel) {
        return switch (rel) {
            case TableScan _, Values _ -> true;
            case Filter filter -> !hasSubQuery(filter) && picksOnly(filter.getInput());
            case Project project -> !project.containsOver() && !hasSubQuery(project) && picksOnly(project.getInput());
            case WithRows rows -> made.get(rows.query()) instanceof SharedRows || picksOnly(rows.getInput());
            default -> false;
        };
    }

    private static boolean hasSubQuery(RelNode rel) {
        boolean[] found = {false};
        rel.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                found[0] = true;
                return query;
            }
        });
        return found[0];
    }

    /// Whether a tree reads rows around it: an outer query's, or the last round's of a recursive query.
    private static final class Surroundings {
        private final Set<CorrelationId> used = new HashSet<>();
        private final Set<CorrelationId> bound = new HashSet<>();
        private boolean readsWorkingTable;

        private final RexShuttle expressions = new RexShuttle() {
            @Override
            public RexNode visitCorrelVariable(RexCorrelVariable variable) {
                used.add(variable.id);
                return variable;
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                visit(query.rel);
                return super.visitSubQuery(query);
            }
        };

        boolean reaches(RelNode rel) {
            visit(rel);
            return readsWorkingTable || !bound.containsAll(used);
        }

        private void visit(RelNode root) {
            new RelHomogeneousShuttle() {
                @Override
                public RelNode visit(RelNode rel) {
                    PlanningLimits.tick();
                    readsWorkingTable |= rel instanceof QuarrelWorkingTable;
                    bound.addAll(rel.getVariablesSet());
                    if (rel instanceof Correlate correlate) {
                        bound.add(correlate.getCorrelationId());
                    }
                    rel.accept(expressions);
                    rel.getInputs().forEach(this::visit);
                    return rel;
                }
            }.visit(root);
        }
    }
}
