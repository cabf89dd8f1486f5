package dev.quarrel.samples.ssb;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The five tables: names, columns and PostgreSQL types. No column has NULLs. Money is in cents, as integer.
public enum SsbTable {
    LINEORDER(
            "lineorder",
            "lo_orderkey integer",
            "lo_linenumber integer",
            "lo_custkey integer",
            "lo_partkey integer",
            "lo_suppkey integer",
            "lo_orderdate integer",
            "lo_orderpriority character varying(15) of 5",
            "lo_shippriority character varying(1) of 1",
            "lo_quantity integer",
            "lo_extendedprice integer",
            "lo_ordtotalprice integer",
            "lo_discount integer",
            "lo_revenue integer",
            "lo_supplycost integer",
            "lo_tax integer",
            "lo_commitdate integer",
            "lo_shipmode character varying(10) of 7"),
    CUSTOMER(
            "customer",
            "c_custkey integer",
            "c_name character varying(25)",
            "c_address character varying(25)",
            "c_city character varying(10) of 250",
            "c_nation character varying(15) of 25",
            "c_region character varying(12) of 5",
            "c_phone character varying(15)",
            "c_mktsegment character varying(10) of 5"),
    SUPPLIER(
            "supplier",
            "s_suppkey integer",
            "s_name character varying(25)",
            "s_address character varying(25)",
            "s_city character varying(10) of 250",
            "s_nation character varying(15) of 25",
            "s_region character varying(12) of 5",
            "s_phone character varying(15)"),
    PART(
            "part",
            "p_partkey integer",
            "p_name character varying(22)",
            "p_mfgr character varying(6) of 5",
            "p_category character varying(7) of 25",
            "p_brand1 character varying(9) of 1000",
            "p_color character varying(11) of 92",
            "p_type character varying(25) of 150",
            "p_size integer",
            "p_container character varying(10) of 40"),
    DATE(
            "date",
            "d_datekey integer",
            "d_date character varying(18)",
            "d_dayofweek character varying(9) of 7",
            "d_month character varying(9) of 12",
            "d_year integer",
            "d_yearmonthnum integer",
            "d_yearmonth character varying(7) of 84",
            "d_daynuminweek integer",
            "d_daynuminmonth integer",
            "d_daynuminyear integer",
            "d_monthnuminyear integer",
            "d_weeknuminyear integer",
            "d_sellingseason character varying(12) of 5",
            "d_lastdayinweekfl integer",
            "d_lastdayinmonthfl integer",
            "d_holidayfl integer",
            "d_weekdayfl integer");

    /// The name that the queries use for the table of days.
    public static final String DEFAULT_DATE_TABLE = "date";

    private final String tableName;
    private final Schema schema;
    private final Map<String, Integer> wordCounts = new LinkedHashMap<>();

    /// @param columns `NAME TYPE`, and ` of N` where a column has N distinct texts at most, and so is
    ///     dictionary-encoded
    SsbTable(String tableName, String... columns) {
        this.tableName = tableName;
        List<Field> fields = new ArrayList<>();
        for (String column : columns) {
            String[] declaration = column.split(" of ", 2);
            Field field = field(declaration[0]);
            fields.add(field);
            if (declaration.length == 2) {
                wordCounts.put(field.name(), Integer.valueOf(declaration[1]));
            }
        }
        this.schema = new Schema(fields);
    }

    private static Field field(String declaration) {
        int blank = declaration.indexOf(' ');
        String pgType = declaration.substring(blank + 1);
        return new Field(
                declaration.substring(0, blank),
                pgType.equals("integer") ? DataType.INT32 : DataType.UTF8,
                false,
                pgType);
    }

    /// How many entries the dictionaries of the dictionary columns have, by column name.
    public Map<String, Integer> wordCounts() {
        return Collections.unmodifiableMap(wordCounts);
    }

    public Schema schema() {
        return schema;
    }

    /// The table's name, where the table of days is called `dateTable`.
    public String tableName(String dateTable) {
        return this == DATE ? dateTable : tableName;
    }

    /// Columns that identify a row.
    public List<String> primaryKey() {
        return this == LINEORDER
                ? List.of("lo_orderkey", "lo_linenumber")
                : List.of(schema.field(0).name());
    }

    /// `CREATE TABLE` for PostgreSQL, without keys: they are made faster once the rows are in.
    public String createTable(String dateTable) {
        StringBuilder sql = new StringBuilder("CREATE TABLE ")
                .append(quoted(tableName(dateTable)))
                .append(" (");
        for (int index = 0; index < schema.size(); index++) {
            Field field = schema.field(index);
            sql.append(index == 0 ? "\n    " : ",\n    ")
                    .append(field.name())
                    .append(' ')
                    .append(field.pgType())
                    .append(" NOT NULL");
        }
        return sql.append("\n)").toString();
    }

    /// `ALTER TABLE … ADD PRIMARY KEY …` for PostgreSQL.
    public String addPrimaryKey(String dateTable) {
        return "ALTER TABLE " + quoted(tableName(dateTable)) + " ADD PRIMARY KEY (" + String.join(", ", primaryKey())
                + ")";
    }

    /// The statement that a [CopyBinaryEncoder]'s bytes are for.
    public String copyFrom(String dateTable) {
        return "COPY " + quoted(tableName(dateTable)) + " FROM STDIN (FORMAT binary)";
    }

    private static String quoted(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }
}
