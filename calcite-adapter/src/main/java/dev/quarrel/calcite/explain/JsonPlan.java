package dev.quarrel.calcite.explain;

import dev.quarrel.core.json.JsonStrings;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Writes a plan as JSON.
final class JsonPlan implements PlanWriter {
    private final StringBuilder out = new StringBuilder("[");
    private final Deque<Group> groups = new ArrayDeque<>();

    private static final class Group {
        private final String end;
        private boolean hasMembers;

        Group(String end) {
            this.end = end;
        }
    }

    JsonPlan() {
        groups.push(new Group("]"));
    }

    private void member(String label) {
        Group group = groups.peek();
        out.append(group.hasMembers ? ",\n" : "\n").repeat("  ", groups.size());
        group.hasMembers = true;
        if (label != null) {
            JsonStrings.append(label, out);
            out.append(": ");
        }
    }

    @Override
    public void open(String type, String label, boolean isNamed) {
        member(label);
        out.append(isNamed ? '{' : '[');
        groups.push(new Group(isNamed ? "}" : "]"));
    }

    @Override
    public void close() {
        Group closed = groups.pop();
        out.append('\n').repeat("  ", groups.size()).append(closed.end);
    }

    @Override
    public void empty(String type) {
        member(null);
        JsonStrings.append(type, out);
    }

    @Override
    public void value(String label, Object value) {
        member(label);
        if (value instanceof String text) {
            JsonStrings.append(text, out);
        } else {
            out.append(value);
        }
    }

    @Override
    public void list(String label, List<String> items) {
        member(label);
        out.append('[');
        for (int index = 0; index < items.size(); index++) {
            out.append(index == 0 ? "" : ", ");
            JsonStrings.append(items.get(index), out);
        }
        out.append(']');
    }

    @Override
    public String text() {
        while (!groups.isEmpty()) {
            close();
        }
        return out.toString();
    }
}
