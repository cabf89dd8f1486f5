package dev.quarrel.calcite.metadata;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.cpu.scan.TableSample;
import dev.quarrel.core.table.ColumnStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.DateString;

/// The share of a node's rows for which conditions are true.
///
/// Conditions over one table are tried on a sample of its rows, all together: so LIKE, OR, arithmetic and columns that
/// hang together need no model. Where the sample has too few rows that meet them, and for all others, what distinct
/// counts and ranges say; and where these say nothing the usual constants (System R): 1/10 for an equality, 1/3 for a
/// range.
final class Selectivities {
    private static final double EQUALITY = 0.1;
    static final double RANGE = 1.0 / 3;
    private static final double OTHER = 0.25;
    private static final double LEAST = 1e-9;

    private final RowCounts rows;

    Selectivities(RowCounts rows) {
        this.rows = rows;
    }

    double of(RelNode rel, RexNode condition) {
        Map<TableScan, Conditions> ofTables = new LinkedHashMap<>();
        List<RexNode> others = new ArrayList<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            Lineage lineage = isKnown(conjunct) ? Lineage.of(rel, conjunct) : null;
            if (lineage == null || !lineage.outer().isEmpty() && conjunct.getKind() == SqlKind.IS_NULL) {
                others.add(conjunct);
            } else {
                ofTables.computeIfAbsent(lineage.scan(), _ -> new Conditions(new ArrayList<>(), lineage.given()))
                        .asked()
                        .add(lineage.node());
            }
        }
        double share = formula(rel, others);
        for (Map.Entry<TableScan, Conditions> each : ofTables.entrySet()) {
            share *= ofTable(each.getKey(), each.getValue());
        }
        return Math.clamp(share, LEAST, 1);
    }

    /// @param given those that the rows have met already
    private record Conditions(List<RexNode> asked, List<RexNode> given) {}

    private static boolean isKnown(RexNode node) {
        return RexUtil.isDeterministic(node) && !RexUtil.containsCorrelation(node);
    }

    /// Of conditions over a table's columns, among the rows that have met others.
    private double ofTable(TableScan scan, Conditions conditions) {
        if (conditions.given().isEmpty()) {
            return ofTable(scan, conditions.asked());
        }
        List<RexNode> all = new ArrayList<>(conditions.given());
        conditions.asked().stream().filter(each -> !all.contains(each)).forEach(all::add);
        return all.size() == conditions.given().size()
                ? 1
                : Math.min(1, ofTable(scan, all) / Math.max(LEAST, ofTable(scan, conditions.given())));
    }

    /// Of conditions over a table's columns.
    double ofTable(TableScan scan, List<RexNode> conditions) {
        double expected = formula(scan, conditions);
        TableSample.Share sample = Samples.share(scan, conditions);
        if (sample == null || sample.rows() == 0) {
            return expected;
        }
        if (sample.isWhole()) {
            return Math.max(LEAST, (double) sample.kept() / sample.rows());
        }
        double seen = (double) sample.kept() / sample.rows();
        if (sample.kept() >= 12) {
            return seen;
        }
        // So few rows may be by chance: what is expected counts as far as the sample does not speak against it.
        double chance = 1.5 * Math.sqrt(sample.kept());
        double least = Math.max(0, sample.kept() - chance) / sample.rows();
        double most = (sample.kept() + chance + 0.7) / sample.rows();
        return expected < least || expected > most ? (sample.kept() == 0 ? most : seen) : expected;
    }

    /// Of a condition over both sides of a join.
    double ofPair(Join join, RexNode conjunct) {
        int left = join.getLeft().getRowType().getFieldCount();
        var bits = RelOptUtil.InputFinder.bits(conjunct);
        if (!bits.isEmpty() && bits.length() <= left) {
            return of(join.getLeft(), conjunct);
        }
        if (!bits.isEmpty() && bits.nth(0) >= left) {
            return of(join.getRight(), RexUtil.shift(conjunct, -left));
        }
        return guess(conjunct);
    }

    /// Of a condition over columns of which nothing is known.
    double guess(RexNode node) {
        return switch (node.getKind()) {
            case EQUALS, IS_NOT_DISTINCT_FROM -> EQUALITY;
            case NOT_EQUALS, IS_DISTINCT_FROM -> 1 - EQUALITY;
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> RANGE;
            case NOT -> 1 - guess(((RexCall) node).getOperands().getFirst());
            case AND ->
                ((RexCall) node).getOperands().stream().mapToDouble(this::guess).reduce(1, (one, other) -> one * other);
            case OR ->
                either(((RexCall) node).getOperands().stream().map(this::guess).toList());
            default -> OTHER;
        };
    }

    private static double either(List<Double> shares) {
        double neither = 1;
        for (double share : shares) {
            neither *= 1 - share;
        }
        return 1 - neither;
    }

    private double formula(RelNode rel, List<RexNode> conjuncts) {
        double share = 1;
        Map<Integer, Double> ranges = new HashMap<>();
        for (RexNode conjunct : conjuncts) {
            double one = single(rel, conjunct);
            Integer column = rangeColumn(conjunct);
            if (column == null) {
                share *= one;
            } else {
                // Two bounds of one column: what each leaves out adds up.
                ranges.merge(column, one, (first, second) -> Math.max(0.0001, first + second - 1));
            }
        }
        for (double range : ranges.values()) {
            share *= range;
        }
        return Math.clamp(share, LEAST, 1);
    }

    private static Integer rangeColumn(RexNode conjunct) {
        return switch (conjunct.getKind()) {
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> {
                List<RexNode> operands = ((RexCall) conjunct).getOperands();
                if (operands.get(0) instanceof RexInputRef column && LiftedLiteral.peek(operands.get(1)) != null) {
                    yield column.getIndex();
                }
                yield operands.get(1) instanceof RexInputRef column && LiftedLiteral.peek(operands.get(0)) != null
                        ? column.getIndex()
                        : null;
            }
            default -> null;
        };
    }

    private double single(RelNode rel, RexNode node) {
        if (node.isAlwaysTrue()) {
            return 1;
        }
        if (node.isAlwaysFalse()) {
            return 0;
        }
        if (!(node instanceof RexCall call)) {
            return OTHER;
        }
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case AND -> of(rel, call);
            case OR -> either(operands.stream().map(each -> of(rel, each)).toList());
            case NOT -> 1 - of(rel, operands.getFirst());
            case EQUALS, IS_NOT_DISTINCT_FROM -> equality(rel, operands);
            case NOT_EQUALS, IS_DISTINCT_FROM -> 1 - equality(rel, operands);
            case LESS_THAN, LESS_THAN_OR_EQUAL -> range(rel, operands.get(0), operands.get(1), true);
            case GREATER_THAN, GREATER_THAN_OR_EQUAL -> range(rel, operands.get(0), operands.get(1), false);
            case IS_NULL -> nulls(rel, operands.getFirst());
            case IS_NOT_NULL -> 1 - nulls(rel, operands.getFirst());
            case LIKE -> EQUALITY;
            default -> OTHER;
        };
    }

    private double equality(RelNode rel, List<RexNode> sides) {
        double most = 0;
        for (RexNode side : sides) {
            var columns = RelOptUtil.InputFinder.bits(side);
            if (!columns.isEmpty()) {
                most = Math.max(most, one(rel, side));
            }
        }
        return most > 0 ? 1 / Math.max(1, most) : EQUALITY;
    }

    /// Different values of an expression; 0 where nothing is known of it.
    private double one(RelNode rel, RexNode node) {
        Lineage lineage = Lineage.of(rel, node);
        if (lineage != null) {
            return rows.distincts().ofTable(lineage.scan(), List.of(lineage.node()));
        }
        return node instanceof RexInputRef column && rel.getRowType().getFieldCount() > column.getIndex()
                ? Math.min(10 / EQUALITY, rows.distincts().of(rel, List.of(column.getIndex()), rows.rows(rel)))
                : 0;
    }

    private double nulls(RelNode rel, RexNode node) {
        Lineage lineage = Lineage.of(rel, node);
        if (lineage != null && !lineage.outer().isEmpty()) {
            return Math.clamp(rows.withoutPartner(lineage.outer().getLast()), 0.001, 1);
        }
        if (lineage == null || lineage.column() < 0) {
            return 0.05;
        }
        ColumnStats stats = lineage.table().stats().columns().get(lineage.column());
        double all = Math.max(1, lineage.table().stats().rowCount());
        return stats.nullCount() < 0 ? 0.05 : Math.clamp(stats.nullCount() / all, LEAST, 1 - LEAST);
    }

    private static double range(RelNode rel, RexNode left, RexNode right, boolean below) {
        if (!(left instanceof RexInputRef column)) {
            return right instanceof RexInputRef ? range(rel, right, left, !below) : RANGE;
        }
        Lineage lineage = Lineage.of(rel, column);
        RexLiteral literal = LiftedLiteral.peek(right);
        double bound = literal == null ? Double.NaN : number(literal);
        if (lineage == null || lineage.column() < 0 || Double.isNaN(bound)) {
            return RANGE;
        }
        ColumnStats stats = lineage.table().stats().columns().get(lineage.column());
        double low = number(stats.min());
        double high = number(stats.max());
        if (Double.isNaN(low) || Double.isNaN(high) || high <= low) {
            return RANGE;
        }
        double share = Math.clamp((bound - low) / (high - low), 0, 1);
        return Math.max(0.0001, below ? share : 1 - share);
    }

    private static double number(Object value) {
        return value instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private static double number(RexLiteral literal) {
        if (literal.isNull()) {
            return Double.NaN;
        }
        return switch (literal.getType().getSqlTypeName()) {
            case DATE -> literal.getValueAs(DateString.class).getDaysSinceEpoch();
            case SMALLINT, INTEGER, BIGINT, DECIMAL, DOUBLE, REAL, FLOAT -> number(literal.getValue());
            default -> Double.NaN;
        };
    }
}
