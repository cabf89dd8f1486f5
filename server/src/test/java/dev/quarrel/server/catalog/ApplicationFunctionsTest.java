package dev.quarrel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.JavaAggregate;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.server.MemoryCatalog;
import dev.quarrel.server.Psql;
import dev.quarrel.server.Server;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The example of docs/application-functions.md, as clients of the server call it.
final class ApplicationFunctionsTest {
    /// The methods of the example.
    public static final class Prices {
        private Prices() {}

        @SqlFunction
        public static BigDecimal withTax(BigDecimal net, int percent) {
            return net.multiply(BigDecimal.valueOf(100 + percent)).movePointLeft(2);
        }

        @SqlFunction(name = "label")
        public static String labelled(@SqlFunction.Nullable String name, String... tags) {
            return (name == null ? "(none)" : name) + ' ' + String.join("/", tags);
        }

        @SqlFunction(pure = false)
        public static String caller(SqlSession session) {
            return session.user();
        }
    }

    /// The state of the example's aggregate.
    static final class Weighted {
        double sum;
        double weight;

        Weighted add(double value, double by) {
            sum += value * by;
            weight += by;
            return this;
        }

        Weighted plus(Weighted other) {
            sum += other.sum;
            weight += other.weight;
            return this;
        }

        Double mean() {
            return weight == 0 ? null : sum / weight;
        }
    }

    static final JavaAggregate WEIGHTED_MEAN = JavaAggregate.named("weighted_mean")
            .argument(double.class)
            .argument(double.class)
            .result(Double.class)
            .states(Weighted::new, (state, row) -> state.add((Double) row[0], (Double) row[1]), Weighted::mean)
            .merged(Weighted::plus)
            .build();

    private static Engine engine;
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        MemoryCatalog catalog = new MemoryCatalog()
                .with(
                        "public",
                        "sales",
                        List.of("item text", "net numeric(12,2)", "pieces integer"),
                        new String[] {"tea", "10.00", "3"},
                        new String[] {"cup", "2.50", "1"},
                        new String[] {null, null, null});
        EngineConfig config = EngineConfig.defaults()
                .withFunctions(ScalarFunction.annotated(Prices.class))
                .withAggregates(List.of(WEIGHTED_MEAN));
        engine = LocalEngine.open(catalog, SystemCatalog.install(config, List.of()));
        server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.stop();
        }
        if (engine != null) {
            engine.close();
        }
    }

    private static List<String> rows(String sql) throws Exception {
        String url = "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel?user=ann";
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url);
                ResultSet result = connection.createStatement().executeQuery(sql)) {
            while (result.next()) {
                rows.add(result.getString(1));
            }
        }
        return rows;
    }

    @Test
    void clientsCallThem() throws Exception {
        assertThat(rows("select with_tax(net, 20) from sales order by net")).containsExactly("3.0000", "12.0000", null);
        assertThat(rows("select public.label(item, 'new', item) from sales where item = 'cup'"))
                .containsExactly("cup new/cup");
        assertThat(rows("select label(null, 'x') || caller()")).containsExactly("(none) xann");
        assertThat(rows("select weighted_mean(net, pieces) from sales")).containsExactly("8.125");
    }

    @Test
    void theCatalogListsThem() throws Exception {
        assertThat(rows("select oid::regproc || ' ' || pg_get_function_result(oid) || ' ' || prokind "
                        + "from pg_proc where pronamespace = 2200 order by proname"))
                .containsExactly(
                        "caller text f", "label text f", "weighted_mean double precision a", "with_tax numeric f");
        assumeTrue(Psql.isInstalled(), "psql is not installed");
        assertThat(Psql.run(server, "-At", "-c", "\\df")).isEqualTo("""
                        public|caller|text||func
                        public|label|text|text, VARIADIC text[]|func
                        public|weighted_mean|double precision|double precision, double precision|agg
                        public|with_tax|numeric|numeric, integer|func
                        """);
    }

    /// The documentation's code stands here line by line, but for how it is indented and what is static.
    @Test
    void theDocumentationHasThisCode() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        root = Files.exists(root.resolve("docs")) ? root : root.getParent();
        String docs = Files.readString(root.resolve("docs/application-functions.md"));
        String here = plain(Files.readString(
                root.resolve("server/src/test/java/dev/quarrel/server/catalog/ApplicationFunctionsTest.java")));
        List<String> blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(docs)
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(3);
        for (String block : blocks) {
            for (String line : block.split("\n")) {
                String end = line.startsWith("Server ") ? "" : line;
                assertThat(here).contains(plain(end.replaceFirst("^Engine ", "")));
            }
        }
    }

    private static String plain(String code) {
        return code.replace("static ", "").replaceAll("\\s+", " ").strip();
    }
}
