package dev.quarrel.server.console;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The tree of nodes that the lines of EXPLAIN show.
///
/// A node's line has an arrow before it, but for the first of a plan; lines of labels and values below it are its
/// properties; its inputs stand further to the right.
final class PlanTree {
    private static final String ARROW = "->  ";
    private static final String HOST = "$host.";
    private static final Pattern PROPERTY =
            Pattern.compile("([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*): (.*)", Pattern.DOTALL);
    private static final Pattern EXPECTED = Pattern.compile("  \\((?:cost=\\S+ )?rows=(\\d+)(?: width=\\d+)?\\)");
    private static final Pattern ACTUAL = Pattern.compile("  \\(actual (?:time=([0-9.]+) )?(?:(rows|read)=(\\d+))\\)");
    private static final Pattern TIME =
            Pattern.compile("([0-9.]+) ms after ([0-9.]+) ms of preparation; workers ([0-9.]+) ms");
    private static final Pattern READ = Pattern.compile("\\d+ rows, (\\d+) bytes in .*", Pattern.DOTALL);
    private static final Pattern SPILLED = Pattern.compile("\\d+ rows, (\\d+) bytes to temporary files");
    private static final Pattern TOTAL = Pattern.compile(" ?(Planning|Execution) Time: ([0-9.]+) ms");

    private final List<Node> roots = new ArrayList<>();
    private final Map<String, Object> totals = new LinkedHashMap<>();

    /// One node, with what it says of itself as it is said.
    private static final class Node {
        private final Map<String, Object> facts = new LinkedHashMap<>();
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<Node> inputs = new ArrayList<>();

        /// The node of that name at or below this one, or null.
        Node find(String name) {
            if (name.equals(facts.get("name"))) {
                return this;
            }
            for (Node input : inputs) {
                Node found = input.find(name);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>(facts);
            all.put("properties", properties);
            all.put("inputs", inputs.stream().map(Node::json).toList());
            return all;
        }
    }

    /// The plan as JSON has it: `plan` is a node, or null, beside `planningMs`, `executionMs` and the `lines`.
    static Map<String, Object> json(List<String> lines) {
        PlanTree tree = new PlanTree();
        tree.read(lines);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("plan", tree.roots.isEmpty() ? null : tree.roots.getFirst().json());
        json.putAll(tree.totals);
        json.put("lines", lines);
        return json;
    }

    /// A node whose inputs are those that stand to the right of a column.
    private record Open(int column, Node node) {}

    private void read(List<String> lines) {
        Deque<Open> open = new ArrayDeque<>();
        for (String line : lines) {
            Matcher total = TOTAL.matcher(line);
            if (total.matches()) {
                totals.put(total.group(1).equals("Planning") ? "planningMs" : "executionMs", number(total.group(2)));
                continue;
            }
            String text = line.stripLeading();
            int column = line.length() - text.length();
            boolean hasArrow = text.startsWith(ARROW);
            Matcher property = PROPERTY.matcher(text);
            if (!hasArrow && !open.isEmpty() && property.matches()) {
                property(open.peek().node(), property.group(1), property.group(2));
                continue;
            }
            while (!open.isEmpty() && open.peek().column() >= column) {
                open.pop();
            }
            if (text.startsWith(HOST) && !open.isEmpty()) {
                // What comes is read by a scan of this plan.
                Node scan = open.peek().node().find("Seq Scan on " + text);
                open.push(new Open(column, scan == null ? open.peek().node() : scan));
            } else if (!text.isEmpty()) {
                Node node = node(hasArrow ? text.substring(ARROW.length()) : text);
                (open.isEmpty() ? roots : open.peek().node().inputs).add(node);
                open.push(new Open(column, node));
            }
        }
    }

    private static Node node(String title) {
        Node node = new Node();
        Matcher expected = EXPECTED.matcher(title);
        Matcher actual = ACTUAL.matcher(title);
        boolean isExpected = expected.find();
        boolean isActual = actual.find();
        int end = Math.min(isExpected ? expected.start() : title.length(), isActual ? actual.start() : title.length());
        node.facts.put("name", title.substring(0, end));
        if (isExpected) {
            node.facts.put("expectedRows", whole(expected.group(1)));
        }
        if (isActual) {
            if (actual.group(1) != null) {
                node.facts.put("ms", number(actual.group(1)));
            }
            node.facts.put(actual.group(2).equals("rows") ? "rows" : "readRows", whole(actual.group(3)));
        }
        return node;
    }

    private static void property(Node node, String label, String value) {
        node.properties.put(label, value);
        switch (label) {
            case "Device" -> node.facts.put("device", value.replaceFirst("(?s) \\(.*", ""));
            case "Tier" -> node.facts.put("tier", value);
            case "Time" -> {
                Matcher time = TIME.matcher(value);
                if (time.matches()) {
                    node.facts.put("prepareMs", number(time.group(2)));
                    node.facts.put("workersMs", number(time.group(3)));
                }
            }
            case "Read" -> fact(node, "bytes", READ.matcher(value));
            case "Spilled" -> fact(node, "spilledBytes", SPILLED.matcher(value));
            default -> {} // shown as it is
        }
    }

    private static void fact(Node node, String name, Matcher matcher) {
        if (matcher.matches()) {
            node.facts.put(name, whole(matcher.group(1)));
        }
    }

    private static Double number(String text) {
        return Double.valueOf(text);
    }

    private static Long whole(String text) {
        return text.length() > 18 ? Long.valueOf(Long.MAX_VALUE) : Long.valueOf(text);
    }
}
