package dev.quarrel.calcite.sql.type;

import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.calcite.rex.RexNode;

/// Which literal of the statement's text each node that was made of one comes from, by identity.
///
/// A literal that was read in a way that is not noted here is in none of them: nobody knows where its value went.
public final class LiteralOrigins {
    private final Map<RexNode, Origin> origins = new IdentityHashMap<>();
    private final Map<RexNode, Boolean> converted = new IdentityHashMap<>();

    /// @param at where the literal begins in the text, as a Java string index, without its sign
    /// @param negated whether a minus sign before it belongs to it
    public record Origin(int at, boolean negated) {}

    public void written(RexNode node, int at, boolean negated) {
        origins.put(node, new Origin(at, negated));
    }

    /// Notes that `to` is made of `from`, which may yet be made into something else.
    void converted(RexNode from, RexNode to) {
        Origin origin = origins.get(from);
        if (origin != null && from != to) {
            origins.put(to, origin);
            converted.put(from, true);
        }
    }

    /// null for a node that comes from no literal.
    public Origin of(RexNode node) {
        return origins.get(node);
    }

    /// The nodes that were not converted to others, each with its origin.
    public Map<RexNode, Origin> last() {
        Map<RexNode, Origin> last = new IdentityHashMap<>(origins);
        last.keySet().removeAll(converted.keySet());
        return last;
    }
}
