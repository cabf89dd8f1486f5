package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import java.util.ArrayList;
import java.util.List;

/// Writes columns' defaults into JSON: `[{column, expression, counter: {…}}]`.
final class DefaultJson {
    private DefaultJson() {}

    static void write(List<ColumnDefault> defaults, ArrayNode nodes) {
        for (ColumnDefault each : defaults) {
            ObjectNode node = nodes.addObject().put("column", each.column()).put("expression", each.expression());
            Counter counter = each.counter();
            if (counter != null) {
                node.putObject("counter")
                        .put("kind", counter.kind().text())
                        .put("sequence", counter.sequence())
                        .put("id", counter.id())
                        .put("start", counter.start())
                        .put("increment", counter.increment())
                        .put("next", counter.next())
                        .put("writer", counter.writer());
            }
        }
    }

    /// Counters of kinds that are known: later versions may have more.
    static List<ColumnDefault> read(JsonNode nodes) {
        List<ColumnDefault> defaults = new ArrayList<>();
        for (JsonNode node : nodes) {
            String column = node.path("column").asText("");
            String expression = node.path("expression").asText("NULL");
            JsonNode counter = node.path("counter");
            if (!counter.isObject()) {
                defaults.add(new ColumnDefault(column, expression));
                continue;
            }
            for (Counter.Kind kind : Counter.Kind.values()) {
                if (kind.text().equals(counter.path("kind").asText(""))) {
                    defaults.add(new ColumnDefault(
                            column,
                            expression,
                            new Counter(
                                    kind,
                                    counter.path("sequence").asText(""),
                                    counter.path("id").asLong(),
                                    counter.path("start").asLong(1),
                                    counter.path("increment").asLong(1),
                                    counter.path("next").asLong(1),
                                    counter.path("writer").asLong())));
                }
            }
        }
        return defaults;
    }
}
