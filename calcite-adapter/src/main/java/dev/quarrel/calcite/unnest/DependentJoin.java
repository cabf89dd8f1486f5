package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.rel.NumberedRows;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.sql.function.FieldOperator;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// A join of rows with a query's rows, where the query may refer to the row that it is joined with.
///
/// From the cheapest way to the one that always works: the query's conditions on the row become the join's; its
/// aggregates are grouped by what they are compared with; or it is answered for a [Domain] of rows at once.
///
/// @param rows their columns come first in the result
/// @param base whose rows hold all values of `rows` in the same columns; cheaper to make twice
/// @param query has neither sub-queries nor a [org.apache.calcite.rel.core.Correlate]
record DependentJoin(
        RelNode rows, RelNode base, RelNode query, References references, Function<Aggregate, RelNode> setsApart) {

    private RexBuilder rexBuilder() {
        return rows.getCluster().getRexBuilder();
    }

    private static int width(RelNode rel) {
        return rel.getRowType().getFieldCount();
    }

    /// The rows that some row of the query answers, or none: SEMI and ANTI; all of them with a mark: LEFT_MARK.
    ///
    /// @param questions over a row and the query's columns
    RelNode asking(JoinRelType type, List<RexNode> questions) {
        if (!references.in(query)) {
            return plain(query, type, questions);
        }
        Correlations.Pulled pulled = new Correlations(references, rexBuilder(), false).pull(query, questions.isEmpty());
        if (pulled != null) {
            List<RexNode> conditions = overBoth(pulled.conjuncts());
            if (type == JoinRelType.LEFT_MARK) {
                conditions.replaceAll(this::truth);
            }
            conditions.addAll(questions);
            return plain(pulled.rel(), type, conditions);
        }
        try {
            return throughDomain(type, questions);
        } catch (Domain.NotAtOnce problem) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: a sub-query with " + problem.getMessage() + " that refers to the query around it");
        }
    }

    private RexNode truth(RexNode condition) {
        return condition.getType().isNullable()
                ? rexBuilder().makeCall(SqlStdOperatorTable.IS_TRUE, condition)
                : condition;
    }

    /// Each row with the query's rows for it: INNER; with NULLs where there is none: LEFT.
    RelNode pairing(JoinRelType type) {
        if (!references.in(query)) {
            return plain(query, type, List.of());
        }
        if (isOneRow(query)) {
            return beside(((Project) query).getProjects());
        }
        if (query instanceof QuarrelFunctions functions && functions.kept() == 0 && isOneRow(functions.getInput())) {
            return calledWith(functions, type == JoinRelType.LEFT);
        }
        if (query instanceof Project columns
                && (type == JoinRelType.INNER || areNullOfNulls(columns.getProjects()))
                && !columns.containsOver()
                && columns.getInput() instanceof QuarrelFunctions functions
                && functions.kept() == 0
                && isOneRow(functions.getInput())) {
            return projected(columns, calledWith(functions, type == JoinRelType.LEFT));
        }
        Correlations.Pulled pulled = new Correlations(references, rexBuilder(), true).pullRows(query);
        if (pulled != null) {
            RelNode joined = plain(pulled.rel(), type, overBoth(pulled.conjuncts()));
            return narrow(joined, width(rows) + width(query));
        }
        Keyed keyed = Keyed.of(query, references);
        if (keyed != null) {
            return withGroups(keyed);
        }
        try {
            return throughDomain(type, List.of());
        } catch (Domain.NotAtOnce _) {
            return rowByRow(type);
        }
    }

    /// A query that computes one row of the row around.
    private static boolean isOneRow(RelNode query) {
        return query instanceof Project project
                && !project.containsOver()
                && project.getInput() instanceof Values values
                && values.getTuples().size() == 1
                && project.getProjects().stream().allMatch(DependentJoin::isWithoutInput);
    }

    /// Whether expressions are NULL where all columns are: columns, and fields of them.
    private static boolean areNullOfNulls(List<RexNode> expressions) {
        return expressions.stream()
                .map(each -> each instanceof RexCall field && field.getOperator() instanceof FieldOperator
                        ? field.getOperands().getFirst()
                        : each)
                .allMatch(RexInputRef.class::isInstance);
    }

    private static boolean isWithoutInput(RexNode node) {
        return org.apache.calcite.plan.RelOptUtil.InputFinder.bits(node).isEmpty();
    }

    private RelNode beside(List<RexNode> expressions) {
        List<RexNode> all = new ArrayList<>(references(rows, width(rows)));
        expressions.forEach(expression -> all.add(ofRow(expression)));
        return LogicalProject.create(rows, List.of(), all, (List<String>) null, Set.of());
    }

    /// Functions in FROM are called with each row's values; its columns stay.
    private RelNode calledWith(QuarrelFunctions functions, boolean isOuter) {
        RelNode input = beside(((Project) functions.getInput()).getProjects());
        int width = width(rows);
        var rowType = rows.getCluster().getTypeFactory().builder();
        rowType.addAll(rows.getRowType().getFieldList());
        functions
                .getRowType()
                .getFieldList()
                .forEach(field -> rowType.add(
                        field.getName(),
                        isOuter
                                ? rows.getCluster().getTypeFactory().createTypeWithNullability(field.getType(), true)
                                : field.getType()));
        return functions.over(input, width, width, isOuter, rowType.uniquify().build());
    }

    /// The row's columns, and expressions over those of functions, which stand behind them.
    private RelNode projected(Project columns, RelNode called) {
        List<RexNode> all = new ArrayList<>(references(called, width(rows)));
        RexShuttle behind = new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef column) {
                return rexBuilder().makeInputRef(called, width(rows) + column.getIndex()); // NULL, too, if outer
            }
        };
        columns.getProjects().forEach(column -> all.add(ofRow(column.accept(behind))));
        return LogicalProject.create(called, List.of(), all, (List<String>) null, Set.of());
    }

    private List<RexNode> references(RelNode rel, int count) {
        return IntStream.range(0, count)
                .mapToObj(column -> (RexNode) rexBuilder().makeInputRef(rel, column))
                .toList();
    }

    private RelNode narrow(RelNode rel, int count) {
        return width(rel) == count
                ? rel
                : LogicalProject.create(rel, List.of(), references(rel, count), (List<String>) null, Set.of());
    }

    /// With columns of `rows` for the row around that the query names.
    private RexNode ofRow(RexNode node) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
                return references.isTo(access) ? rexBuilder().makeInputRef(rows, references.column(access)) : access;
            }
        });
    }

    /// Conditions over the query's columns as ones over a row and them.
    private List<RexNode> overBoth(List<RexNode> conditions) {
        List<RexNode> moved = new ArrayList<>();
        conditions.forEach(condition -> moved.add(ofRow(RexUtil.shift(condition, width(rows)))));
        return moved;
    }

    private RelNode plain(RelNode side, JoinRelType type, List<RexNode> conditions) {
        RexNode condition = RexUtil.composeConjunction(rexBuilder(), conditions);
        boolean isAnyRow = condition.isAlwaysTrue() && type != JoinRelType.INNER && type != JoinRelType.LEFT;
        RelNode right = isAnyRow
                ? LogicalSort.create(
                        side, RelCollations.EMPTY, null, rexBuilder().makeExactLiteral(BigDecimal.ONE))
                : side;
        return LogicalJoin.create(rows, right, List.of(), condition, Set.of(), type);
    }

    /// There is one row for each, found or not.
    private RelNode withGroups(Keyed keyed) {
        int first = width(rows);
        List<RexNode> same = new ArrayList<>();
        for (int key = 0; key < keyed.sides().size(); key++) {
            RelDataType type =
                    keyed.grouped().getRowType().getFieldList().get(key).getType();
            same.add(rexBuilder()
                    .makeCall(
                            SqlStdOperatorTable.EQUALS,
                            ofRow(keyed.sides().get(key)),
                            new RexInputRef(first + key, type)));
        }
        RelNode joined = plain(keyed.grouped(), JoinRelType.LEFT, same);
        List<RexNode> all = new ArrayList<>(references(joined, first));
        keyed.results(joined, first, rexBuilder()).forEach(result -> all.add(ofRow(result)));
        return LogicalProject.create(joined, List.of(), all, (List<String>) null, Set.of());
    }

    /// - Errors: [Domain.NotAtOnce]
    private RelNode throughDomain(JoinRelType type, List<RexNode> questions) {
        ImmutableBitSet read = references.columns(query);
        boolean isByValue =
                isRepeatable(base) && read.asList().stream().allMatch(column -> isSameIfEqual(typeOf(column)));
        RelNode around = isByValue ? rows : NumberedRows.of(rows);
        Domain domain = isByValue
                ? Domain.ofValues(base, read, references, setsApart)
                : Domain.ofRows((NumberedRows) around, read, references, setsApart);
        RelNode pushed = domain.push(query);
        int added = width(around) - width(rows);
        List<RexNode> conditions = new ArrayList<>();
        conditions.add(domain.isFor(around, width(around) + width(query)));
        questions.forEach(question -> conditions.add(RexUtil.shift(question, width(rows), added)));
        RelNode joined = LogicalJoin.create(
                around, pushed, List.of(), RexUtil.composeConjunction(rexBuilder(), conditions), Set.of(), type);
        int kept =
                switch (type) {
                    case SEMI, ANTI -> 0;
                    case LEFT_MARK -> 1;
                    default -> width(query);
                };
        List<RexNode> columns = new ArrayList<>(references(joined, width(rows)));
        for (int column = 0; column < kept; column++) {
            columns.add(rexBuilder().makeInputRef(joined, width(around) + column));
        }
        return columns.size() == width(joined)
                ? joined
                : LogicalProject.create(joined, List.of(), columns, (List<String>) null, Set.of());
    }

    private RelDataType typeOf(int column) {
        return rows.getRowType().getFieldList().get(column).getType();
    }

    /// Whether two values that are equal are one and the same to any function. They are not where the scale, the
    /// sign of a zero, blanks or units may differ.
    private static boolean isSameIfEqual(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case BOOLEAN, SMALLINT, INTEGER, BIGINT, DATE, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> true;
            case DECIMAL -> !dev.quarrel.calcite.sql.type.SqlTypes.isNumeric(type);
            case VARCHAR -> !(type instanceof dev.quarrel.calcite.sql.type.PostgresRelType);
            default -> type.getSqlTypeName() == SqlTypeName.UUID;
        };
    }

    /// Whether the rows are the same each time they are made.
    private static boolean isRepeatable(RelNode rel) {
        boolean isHere =
                switch (rel) {
                    case TableScan _, Values _, SetOp _ -> true;
                    case Filter filter -> RexUtil.isDeterministic(filter.getCondition());
                    case Join join -> RexUtil.isDeterministic(join.getCondition());
                    case Project project ->
                        !project.containsOver()
                                && project.getProjects().stream().allMatch(RexUtil::isDeterministic);
                    case Aggregate aggregate ->
                        aggregate.getAggCallList().stream()
                                .allMatch(call -> call.getAggregation().getKind() == SqlKind.COUNT
                                        || call.getAggregation().getKind() == SqlKind.MIN
                                        || call.getAggregation().getKind() == SqlKind.MAX
                                        || call.getAggregation().getKind() == SqlKind.SINGLE_VALUE);
                    default -> false;
                };
        return isHere && rel.getInputs().stream().allMatch(DependentJoin::isRepeatable);
    }

    /// The query is run anew for each row.
    private RelNode rowByRow(JoinRelType type) {
        if (references.ids().size() != 1 || references.offset() != 0) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "not supported: a sub-query that refers to several rows around it");
        }
        return LogicalCorrelate.create(
                rows, query, List.of(), references.ids().iterator().next(), references.columns(query), type);
    }
}
