package dev.quarrel.calcite.sql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlNodeList;

/// The information that the clauses of one SELECT gather during analysis.
///
/// Expressions are over FROM's row, and the aggregates follow it: aggregate k is input field `fieldCount + k`
/// until the aggregation is made.
final class Select {
    private final int fieldCount;
    private final SqlNodeList windows;
    private final List<AggregateUse> aggregates = new ArrayList<>();
    private final List<ColumnUse> columnUses = new ArrayList<>();
    private final List<RexNode> directArguments = new ArrayList<>();
    private final Set<CorrelationId> correlations = new LinkedHashSet<>();
    private final List<SubQuery> subQueries = new ArrayList<>();
    private final List<SubQuery> comparedRows = new ArrayList<>();
    private final boolean hasGroupingSets;
    private Clause clause = Clause.SELECT;
    private boolean insideAggregate;
    private boolean insideWindow;
    private boolean inWindowDefinition;
    private int firstAggregateAt = -1;
    private final List<Integer> rowCalls = new ArrayList<>();

    Select(int fieldCount, SqlNodeList windows) {
        this(fieldCount, windows, false);
    }

    /// @param hasGroupingSets whether GROUP BY may make columns NULL that never were
    Select(int fieldCount, SqlNodeList windows, boolean hasGroupingSets) {
        this.fieldCount = fieldCount;
        this.windows = windows;
        this.hasGroupingSets = hasGroupingSets;
    }

    /// The clause in which an expression stands, which decides whether it may contain aggregates and window
    /// functions.
    enum Clause {
        SELECT("SELECT", true, true),
        WHERE("WHERE", false, false),
        GROUP_BY("GROUP BY", false, false),
        HAVING("HAVING", true, false),
        ORDER_BY("ORDER BY", true, true),
        ON("JOIN conditions", false, false),
        FILTER("FILTER", false, false),
        LIMIT("LIMIT", false, false),
        OFFSET("OFFSET", false, false),
        VALUES("VALUES", false, false),
        FUNCTION("functions in FROM", false, false);

        private final String text;
        private final boolean aggregates;
        private final boolean windows;

        Clause(String text, boolean aggregates, boolean windows) {
            this.text = text;
            this.aggregates = aggregates;
            this.windows = windows;
        }

        String text() {
            return text;
        }

        boolean allowsAggregates() {
            return aggregates;
        }

        boolean allowsWindows() {
            return windows;
        }

        /// Whether functions may give several rows there.
        boolean allowsRows() {
            return this == SELECT || this == GROUP_BY || this == ORDER_BY || this == FUNCTION;
        }

        boolean seesGroups() {
            return aggregates;
        }
    }

    /// An aggregate call over FROM's row.
    ///
    /// @param filter null for none
    record AggregateUse(SqlAggFunction function, boolean distinct, List<RexNode> arguments, RexNode filter) {}

    /// A column used outside an aggregate's argument: if the SELECT is grouped, it must be one of the grouping
    /// keys.
    record ColumnUse(int index, String name, int at, boolean outer) {}

    /// A sub-query of the select list, HAVING, ORDER BY or GROUP BY.
    ///
    /// @param row the name by which it refers to FROM's row
    record SubQuery(RexSubQuery rex, CorrelationId row) {}

    /// Those that refer to FROM's row.
    List<SubQuery> subQueries() {
        return subQueries;
    }

    /// Those that compare the row around them, of which some fields are constants, with their only row.
    List<SubQuery> comparedRows() {
        return comparedRows;
    }

    int fieldCount() {
        return fieldCount;
    }

    SqlNodeList windows() {
        return windows;
    }

    Clause clause() {
        return clause;
    }

    void enter(Clause newClause) {
        clause = newClause;
    }

    boolean isInsideAggregate() {
        return insideAggregate;
    }

    void setInsideAggregate(boolean inside) {
        insideAggregate = inside;
    }

    boolean isInsideWindow() {
        return insideWindow;
    }

    void setInsideWindow(boolean inside) {
        insideWindow = inside;
    }

    boolean isInWindowDefinition() {
        return inWindowDefinition;
    }

    void setInWindowDefinition(boolean inside) {
        inWindowDefinition = inside;
    }

    /// The input field that stands for the aggregate.
    int add(AggregateUse use, int at) {
        if (firstAggregateAt < 0) {
            firstAggregateAt = at;
        }
        int index = aggregates.indexOf(use);
        if (index < 0) {
            index = aggregates.size();
            aggregates.add(use);
        }
        return fieldCount + index;
    }

    List<AggregateUse> aggregates() {
        return aggregates;
    }

    /// Where functions that give rows are called, in the order in which they are: arguments first.
    List<Integer> rowCalls() {
        return rowCalls;
    }

    /// Where the first of them stands; -1 without any.
    int firstAggregateAt() {
        return firstAggregateAt;
    }

    void addColumnUse(ColumnUse use) {
        if (!insideAggregate) {
            columnUses.add(use);
        }
    }

    /// An expression that must be one over the grouping keys, though no output has it.
    void addDirectArgument(RexNode argument) {
        directArguments.add(argument);
    }

    List<RexNode> directArguments() {
        return directArguments;
    }

    List<ColumnUse> columnUses() {
        return columnUses;
    }

    void addCorrelation(CorrelationId id) {
        correlations.add(id);
    }

    /// Whether sub-queries here see a row of groups in which any column may be NULL.
    boolean mayMakeNull() {
        return hasGroupingSets && clause.seesGroups();
    }

    /// The correlation variables of sub-queries in the clause just analysed; forgotten then.
    Set<CorrelationId> takeCorrelations() {
        Set<CorrelationId> taken = new LinkedHashSet<>(correlations);
        correlations.clear();
        return taken;
    }
}
