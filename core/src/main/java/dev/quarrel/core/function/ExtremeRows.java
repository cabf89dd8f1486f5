package dev.quarrel.core.function;

import dev.quarrel.core.pg.PgType;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The larger and the smaller of two values: the functions behind max and min.
final class ExtremeRows {
    private static final Map<PgType, String> PREFIXES = Map.ofEntries(
            Map.entry(PgType.INT2, "int2"),
            Map.entry(PgType.INT4, "int4"),
            Map.entry(PgType.INT8, "int8"),
            Map.entry(PgType.OID, "oid"),
            Map.entry(PgType.FLOAT4, "float4"),
            Map.entry(PgType.FLOAT8, "float8"),
            Map.entry(PgType.NUMERIC, "numeric_"),
            Map.entry(PgType.TEXT, "text_"),
            Map.entry(PgType.BPCHAR, "bpchar_"),
            Map.entry(PgType.BYTEA, "bytea_"),
            Map.entry(PgType.DATE, "date_"),
            Map.entry(PgType.TIME, "time_"),
            Map.entry(PgType.TIMESTAMP, "timestamp_"),
            Map.entry(PgType.TIMESTAMPTZ, "timestamptz_"),
            Map.entry(PgType.INTERVAL, "interval_"));

    static final List<FunctionRow> ALL = PREFIXES.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .flatMap(each -> Stream.of("larger", "smaller")
                    .map(word -> FunctionRow.function(each.getValue() + word, each.getKey(), each.getKey())
                            .gives(each.getKey())
                            .expression()))
            .toList();

    private ExtremeRows() {}
}
