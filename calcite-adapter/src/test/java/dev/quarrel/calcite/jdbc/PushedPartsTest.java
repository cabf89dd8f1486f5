package dev.quarrel.calcite.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.adapter.java.ReflectiveSchema;
import org.apache.calcite.jdbc.CalciteConnection;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Statements over our tables and those of another schema in an application's own Calcite: what stands above our tables
/// alone is one part, which the engine runs.
final class PushedPartsTest {
    private static final String OURS = ";lex=JAVA;unquotedCasing=TO_LOWER;quoting=DOUBLE_QUOTE;conformance=BABEL"
            + ";typeSystem=dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE";

    @TempDir
    private static Path folder;

    /// Tables of Java objects.
    public static final class Shop {
        public final Customer[] customers = {new Customer(1, "ada"), new Customer(2, "bob"), new Customer(9, "cyd")};
    }

    public static final class Customer {
        public final int id;
        public final String name;

        Customer(int id, String name) {
            this.id = id;
            this.name = name;
        }
    }

    @BeforeAll
    static void writeDataset() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Schema orders = Schema.of(
                new Field("id", DataType.INT32, true),
                new Field("customer", DataType.INT32, true),
                new Field("state", DataType.UTF8, true),
                new Field("price", new DataType.Decimal(10, 2), true),
                new Field("weight", DataType.FLOAT64, true),
                new Field("day", DataType.DATE, true));
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter file =
                        ArrowFileWriter.create(data.resolve("orders.arrow"), orders, WriteOptions.PLAIN)) {
            List<ColumnWriter> writers = writers(orders, arena);
            for (int row = 0; row < 12; row++) {
                writers.get(0).append((long) row);
                writers.get(1).append(row == 11 ? null : (long) (row % 3));
                writers.get(2).append(row % 2 == 0 ? "open" : "sent");
                writers.get(3).append(new BigDecimal(row + ".25"));
                writers.get(4).append(row / 2.0);
                writers.get(5).append(9000L + row);
            }
            file.append(Batch.view(orders, ColumnWriter.finishAll(writers), 12));
            file.finish();
        }
        Schema items = Schema.of(new Field("order_id", DataType.INT32, true), new Field("count", DataType.INT32, true));
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter file = ArrowFileWriter.create(data.resolve("items.arrow"), items, WriteOptions.PLAIN)) {
            List<ColumnWriter> writers = writers(items, arena);
            for (int row = 0; row < 24; row++) {
                writers.get(0).append((long) (row / 2));
                writers.get(1).append((long) (row + 1));
            }
            file.append(Batch.view(items, ColumnWriter.finishAll(writers), 24));
            file.finish();
        }
        Files.writeString(folder.resolve("model.json"), """
                {"version": "1.0", "defaultSchema": "data", "schemas": [{"name": "data", "type": "custom",
                  "factory": "dev.quarrel.calcite.jdbc.QuarrelSchemaFactory",
                  "operand": {"directory": "data", "threads": 2}}]}""");
    }

    private static List<ColumnWriter> writers(Schema schema, Arena arena) {
        return schema.fields().stream()
                .map(field -> new ColumnWriter(field.type(), Allocator.of(arena)))
                .toList();
    }

    private static List<String> rows(String sql, Object... parameters) throws SQLException {
        try (Connection connection =
                DriverManager.getConnection("jdbc:calcite:model=" + folder.resolve("model.json") + OURS)) {
            connection.unwrap(CalciteConnection.class).getRootSchema().add("shop", new ReflectiveSchema(new Shop()));
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int index = 0; index < parameters.length; index++) {
                    statement.setObject(index + 1, parameters[index]);
                }
                List<String> lines = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        List<String> cells = new ArrayList<>();
                        for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                            cells.add(String.valueOf(rows.getObject(column)));
                        }
                        lines.add(String.join("|", cells));
                    }
                }
                return lines;
            }
        }
    }

    /// The nodes of a plan, by depth.
    private static List<String> plan(String sql) throws SQLException {
        return rows("explain plan for " + sql)
                .getFirst()
                .lines()
                .map(line -> line.replaceAll("\\(.*", ""))
                .toList();
    }

    /// What of a plan the engine runs.
    private static List<String> ours(String sql) throws SQLException {
        List<String> nodes = plan(sql);
        int converter = IntStream.range(0, nodes.size())
                .filter(index -> nodes.get(index).strip().equals("QuarrelToEnumerable"))
                .findFirst()
                .orElseThrow();
        int depth = depth(nodes.get(converter));
        List<String> part = new ArrayList<>();
        for (String node : nodes.subList(converter + 1, nodes.size())) {
            if (depth(node) <= depth) {
                break;
            }
            part.add(node.strip());
        }
        return part;
    }

    private static int depth(String node) {
        return node.length() - node.stripLeading().length();
    }

    /// Rows of our part for each customer, beside a customer of Java's.
    private static String beside(String part) {
        return "select c.name, p.x from shop.customers as c join (" + part + ") as p on p.k = c.id order by 1, 2";
    }

    @Test
    void filterProjectJoinAndAggregateAreOneSubtree() throws SQLException {
        String sql = "select c.name, o.total, o.number from shop.customers as c join ("
                + "select customer, sum(price) as total, count(*) as number from orders join items"
                + " on id = order_id where state = 'open' and \"count\" > 3 group by customer) as o"
                + " on o.customer = c.id order by c.name";
        assertThat(plan(sql))
                .containsExactly(
                        "EnumerableSort",
                        "  EnumerableCalc",
                        "    EnumerableHashJoin",
                        "      QuarrelToEnumerable",
                        "        QuarrelAggregate",
                        "          PushedJoin",
                        "            QuarrelProject",
                        "              QuarrelFilter",
                        "                QuarrelTableScan",
                        "            QuarrelFilter",
                        "              QuarrelTableScan",
                        "      EnumerableCalc",
                        "        EnumerableTableScan");
        assertThat(rows(sql)).containsExactly("ada|29.00|4", "bob|21.00|4");
    }

    @Test
    void topRowsAreOurs() throws SQLException {
        String sql = beside("select customer as k, price as x from orders order by price desc nulls last limit 4");
        assertThat(ours(sql)).containsSubsequence("QuarrelSort", "QuarrelTableScan");
        assertThat(rows(sql)).containsExactly("ada|10.25", "bob|8.25");
    }

    @Test
    void arithmeticOfDecimalsIsOurs() throws SQLException {
        String sql = beside("select customer as k, price * 2 - price as x from orders where price between 2 and 5");
        assertThat(ours(sql)).containsExactly("QuarrelProject", "QuarrelFilter", "QuarrelTableScan");
        assertThat(rows(sql)).containsExactly("ada|4.25", "bob|2.25");
    }

    @Test
    void parametersGoToOurs() throws SQLException {
        String sql = beside("select customer as k, id as x from orders where state = ? and id > ?");
        assertThat(rows(sql, "open", 3)).containsExactly("ada|4", "ada|10", "bob|8");
    }

    /// Java's integers wrap around, and Calcite orders texts by UTF-16 and floats with NaN otherwise.
    @Test
    void whatDiffersStaysCalcites() throws SQLException {
        for (String part : List.of(
                "select customer as k, id + 1 as x from orders",
                "select customer as k, id / 2 as x from orders",
                "select customer as k, id as x from orders where weight > 2.5e0",
                "select customer as k, id as x from orders where state > 'p'",
                "select customer as k, id as x from orders where state like 's%'",
                "select customer as k, upper(state) as x from orders",
                "select customer as k, max(state) as x from orders group by customer",
                "select customer as k, sum(weight) as x from orders group by customer")) {
            assertThat(ours(beside(part)))
                    .as(part)
                    .doesNotContain("QuarrelFilter", "QuarrelAggregate", "PushedJoin")
                    .contains("QuarrelTableScan");
            rows(beside(part));
        }
        assertThat(rows(beside("select customer as k, id + 2147483647 as x from orders where id = 1")))
                .containsExactly("ada|-2147483648");
    }

    @Test
    void outerAndSemiJoins() throws SQLException {
        assertThat(rows(beside("select o.customer as k, i.\"count\" as x from orders as o left join items as i"
                        + " on o.id = i.order_id and i.\"count\" > 20 where o.id > 6")))
                .containsExactly("ada|21", "ada|22", "ada|null", "bob|null");
        assertThat(rows(beside("select customer as k, id as x from orders where exists"
                        + " (select 1 from items where order_id = id and \"count\" = 9)")))
                .containsExactly("ada|4");
        assertThat(rows(beside("select customer as k, id as x from orders where id not in"
                        + " (select order_id from items where \"count\" > 4)")))
                .containsExactly("ada|1");
    }
}
