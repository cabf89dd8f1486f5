package dev.quarrel.calcite.explain;

import dev.quarrel.core.json.JsonStrings;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Writes a plan as YAML.
final class YamlPlan implements PlanWriter {
    private final StringBuilder out = new StringBuilder();
    private final Deque<Group> groups = new ArrayDeque<>();

    /// A group; the first member of one without a name stands on the line of its dash.
    private static final class Group {
        private boolean isOnNewLine;

        Group(boolean isOnNewLine) {
            this.isOnNewLine = isOnNewLine;
        }
    }

    YamlPlan() {
        groups.push(new Group(false));
    }

    private void line() {
        Group group = groups.peek();
        if (group.isOnNewLine) {
            out.append('\n').repeat("  ", groups.size() - 1);
        }
        group.isOnNewLine = true;
    }

    private void member(String label) {
        line();
        out.append(label).append(": ");
    }

    @Override
    public void open(String type, String label, boolean isNamed) {
        line();
        out.append(label == null ? "- " : label + ": ");
        groups.push(new Group(label != null));
    }

    @Override
    public void close() {
        groups.pop();
    }

    @Override
    public void empty(String type) {
        line();
        out.append("- ");
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
        for (String item : items) {
            out.append('\n').repeat("  ", groups.size()).append("- ");
            JsonStrings.append(item, out);
        }
    }

    @Override
    public String text() {
        return out.toString();
    }
}
