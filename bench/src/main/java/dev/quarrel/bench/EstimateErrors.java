package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Compares the rows that the planner expects with those that come, for each filtered scan, join and sink of a suite's
/// queries: the q-error of an estimate is how many times too high or too low it is.
///
/// The interpreter runs the queries, since it alone counts the rows of each step.
public final class EstimateErrors {
    private static final Pattern ROWS = Pattern.compile(
            "^( *(?:-> {2})?)(\\S.*?) {2}\\((?:cost=\\S+ )?rows=(\\d+)(?: width=\\d+)?\\) {2}\\(actual (?:time=\\S+ )?rows=(\\d+)\\)$");
    private static final int WORST = 25;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final List<Estimate> estimates = new ArrayList<>();

    private record Estimate(String query, String node, double expected, double actual) {
        double error() {
            double least = Math.max(1, Math.min(expected, actual));
            return Math.max(1, Math.max(expected, actual)) / least;
        }
    }

    /// Arguments: ROOT; the folder of queries; queries separated by commas or an empty text for all; `plans` to print
    /// the plans too.
    public static void main(String[] arguments) throws IOException {
        List<String> only = arguments[2].isEmpty() ? List.of() : List.of(arguments[2].split(","));
        new EstimateErrors().run(Path.of(arguments[0]), Path.of(arguments[1]), only, arguments.length > 3);
    }

    private void run(Path data, Path queries, List<String> only, boolean printsPlans) throws IOException {
        EngineConfig config = EngineConfig.defaults().withTier(DeviceConfig.Tier.INTERPRETED);
        try (Engine engine = LocalEngine.open(DatasetCatalog.open(data), config);
                SqlSession session = engine.openSession("bench")) {
            Statements.execute(session, "SET statement_timeout = '30s'", _ -> {});
            for (Map.Entry<String, String> query :
                    SuiteQueries.read(queries, "quarrel", only).entrySet()) {
                List<String> lines = new ArrayList<>();
                try {
                    Statements.execute(
                            session,
                            "EXPLAIN (ANALYZE) " + query.getValue(),
                            batch -> Statements.rows(batch, cells -> lines.add(cells.getFirst())));
                } catch (QueryException refused) {
                    session.endImplicitTransaction();
                    out.println("query " + query.getKey() + ": " + refused.getMessage());
                }
                if (printsPlans) {
                    out.println("## " + query.getKey());
                    lines.forEach(out::println);
                }
                read(query.getKey(), lines);
            }
        }
        report();
    }

    private void read(String query, List<String> lines) {
        for (int line = 0; line < lines.size(); line++) {
            Matcher rows = ROWS.matcher(lines.get(line));
            if (!rows.matches()) {
                continue;
            }
            String node = rows.group(2);
            boolean isExact = node.startsWith("Seq Scan")
                    && !(line + 1 < lines.size() && lines.get(line + 1).strip().startsWith("Filter: "));
            // A top-N sort counts the rows that came to it.
            if (!isExact && !node.equals("Result") && !node.startsWith("Top-N")) {
                estimates.add(new Estimate(
                        query, node, Double.parseDouble(rows.group(3)), Double.parseDouble(rows.group(4))));
            }
        }
    }

    private void report() {
        estimates.sort((one, other) -> Double.compare(one.error(), other.error()));
        out.println("nodes | median | 75 % | 90 % | 95 % | greatest");
        out.println("---|---|---|---|---|---");
        out.printf(
                Locale.ROOT,
                "%d | %.2f | %.2f | %.2f | %.2f | %.0f%n",
                estimates.size(),
                percentile(50),
                percentile(75),
                percentile(90),
                percentile(95),
                percentile(100));
        out.println();
        for (Estimate estimate : estimates.reversed().subList(0, Math.min(WORST, estimates.size()))) {
            out.printf(
                    Locale.ROOT,
                    "%s: %s: expected %.0f, came %.0f, %.1f times%n",
                    estimate.query(),
                    estimate.node(),
                    estimate.expected(),
                    estimate.actual(),
                    estimate.error());
        }
    }

    private double percentile(int percent) {
        return estimates.isEmpty()
                ? Double.NaN
                : estimates
                        .get(Math.min(estimates.size() - 1, estimates.size() * percent / 100))
                        .error();
    }
}
