package dev.quarrel.calcite.explain;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Writes a plan as XML.
final class XmlPlan implements PlanWriter {
    private final StringBuilder out = new StringBuilder("<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n");
    private final Deque<String> tags = new ArrayDeque<>();

    XmlPlan() {
        tags.push("explain");
    }

    private StringBuilder line() {
        return out.repeat("  ", tags.size());
    }

    private static String tag(String name) {
        return name.replaceAll("[^A-Za-z0-9_.-]", "-");
    }

    private void element(String tag, String text) {
        line().append('<').append(tag).append('>').append(escaped(text));
        out.append("</").append(tag).append(">\n");
    }

    /// What XML 1.0 has no way to write is left out.
    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\r", "&#x0d;")
                .replaceAll("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\uFFFE\\uFFFF]", "");
    }

    @Override
    public void open(String type, String label, boolean isNamed) {
        line().append('<').append(tag(type)).append(">\n");
        tags.push(tag(type));
    }

    @Override
    public void close() {
        String tag = tags.pop();
        line().append("</").append(tag).append(">\n");
    }

    @Override
    public void empty(String type) {
        line().append('<').append(tag(type)).append(" />\n");
    }

    @Override
    public void value(String label, Object value) {
        element(tag(label), value.toString());
    }

    @Override
    public void list(String label, List<String> items) {
        open(label, label, false);
        items.forEach(item -> element("Item", item));
        close();
    }

    @Override
    public String text() {
        while (!tags.isEmpty()) {
            close();
        }
        return out.substring(0, out.length() - 1);
    }
}
