package dev.quarrel.calcite.host;

import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;

/// The parameters that the planner adds to the statement's own: fields of outer rows, and the time that now()
/// returns.
public final class HiddenParameters {
    private final int statementParameters;
    private final Map<Key, Integer> numbers = new LinkedHashMap<>();
    private final List<Hidden> hidden = new ArrayList<>();
    private int outerReads;

    private sealed interface Key {}

    private record Field(CorrelationId id, int column) implements Key {}

    private record Function(String name) implements Key {}

    /// @param function `now`, `current_date`, …; null for a field of an outer row
    public record Hidden(DataType type, String function) {}

    /// @param statementParameters how many `$n` the statement has
    public HiddenParameters(int statementParameters) {
        this.statementParameters = statementParameters;
    }

    /// The parameter's number: 1-based, beyond the statement's.
    int number(RexNode node) {
        return switch (node) {
            case RexFieldAccess access
            when access.getReferenceExpr() instanceof RexCorrelVariable variable -> {
                outerReads++;
                yield number(new Field(variable.id, access.getField().getIndex()), node, null);
            }
            case RexCall call -> {
                String name = call.getOperator().getName().toLowerCase(Locale.ROOT);
                yield number(new Function(name), node, name);
            }
            default -> throw new IllegalStateException("no parameter stands for " + node);
        };
    }

    private int number(Key key, RexNode node, String function) {
        return numbers.computeIfAbsent(key, _ -> {
            hidden.add(new Hidden(SqlTypes.dataType(node.getType()), function));
            return statementParameters + hidden.size();
        });
    }

    /// How often fields of outer rows were read so far.
    int outerReads() {
        return outerReads;
    }

    /// The parameters of one outer row, by its column.
    Map<Integer, Integer> of(CorrelationId id) {
        Map<Integer, Integer> found = new LinkedHashMap<>();
        numbers.forEach((key, number) -> {
            if (key instanceof Field(CorrelationId owner, int column) && owner.equals(id)) {
                found.put(column, number);
            }
        });
        return found;
    }

    /// All of them, in the order of their numbers.
    public List<Hidden> all() {
        return List.copyOf(hidden);
    }
}
