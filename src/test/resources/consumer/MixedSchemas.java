import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.calcite.adapter.jdbc.JdbcSchema;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;

/// An application that has Quarrel's published artifacts and a driver of PostgreSQL: it asks one statement over a dataset
/// and a database. Arguments: the database's URL, a schema in it, the dataset's folder, the statement.
public class MixedSchemas {
    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("lex", "JAVA");
        properties.setProperty("unquotedCasing", "TO_LOWER");
        properties.setProperty("quoting", "DOUBLE_QUOTE");
        properties.setProperty("typeSystem", "dev.quarrel.calcite.sql.type.PostgresTypeSystem#INSTANCE");
        try (Connection connection = DriverManager.getConnection("jdbc:calcite:", properties)) {
            SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
            DataSource database = JdbcSchema.dataSource(arguments[0], "org.postgresql.Driver", "postgres", "postgres");
            root.add("pg", JdbcSchema.create(root, "pg", database, null, arguments[1]));
            Map<String, Object> operand = new HashMap<>();
            operand.put("directory", arguments[2]);
            operand.put("threads", 2);
            operand.put("statsCache", "");
            root.add("data", new dev.quarrel.calcite.jdbc.QuarrelSchemaFactory().create(root, "data", operand));
            try (Statement statement = connection.createStatement()) {
                print(statement, "explain plan for " + arguments[3]);
                System.out.println("--");
                print(statement, arguments[3]);
            }
        }
        System.exit(0); // an engine stays open as long as the process
    }

    private static void print(Statement statement, String sql) throws Exception {
        try (ResultSet rows = statement.executeQuery(sql)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                StringBuilder line = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    line.append(column == 1 ? "" : "|").append(rows.getString(column));
                }
                System.out.println(line);
            }
        }
    }
}
