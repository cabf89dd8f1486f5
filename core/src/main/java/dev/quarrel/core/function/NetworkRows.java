package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.CIDR;
import static dev.quarrel.core.pg.PgType.INET;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.MACADDR;
import static dev.quarrel.core.pg.PgType.MACADDR8;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Functions of network addresses and of network cards' addresses.
final class NetworkRows {
    static final List<FunctionRow> ALL = all();

    static final List<FunctionRow> INTERNAL =
            List.of(function("inet_of_cidr", CIDR).gives(INET).kernel("inet_of_cidr"));

    private NetworkRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (String name : List.of("broadcast", "hostmask", "netmask")) {
            rows.add(function(name, INET).gives(INET).kernel("network_" + name));
        }
        rows.add(function("network", INET).gives(CIDR).kernel("network_network"));
        rows.add(function("cidr", INET).gives(CIDR).kernel("network_network"));
        rows.add(function("abbrev", INET).gives(TEXT).kernel("inet_abbrev"));
        rows.add(function("abbrev", CIDR).gives(TEXT).kernel("cidr_abbrev"));
        rows.add(function("host", INET).gives(TEXT).kernel("network_host"));
        rows.add(function("text", INET).gives(TEXT).kernel("network_show"));
        rows.add(function("family", INET).gives(INT4).kernel("network_family"));
        rows.add(function("masklen", INET).gives(INT4).kernel("network_masklen"));
        for (PgType type : List.of(INET, CIDR)) {
            rows.add(function("set_masklen", type, INT4)
                    .gives(type)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel(type.typeName() + "_set_masklen"));
        }
        rows.add(function("inet_same_family", INET, INET).gives(BOOL).kernel("inet_same_family"));
        rows.add(function("inet_merge", INET, INET)
                .gives(CIDR)
                .fails(INVALID_PARAMETER_VALUE)
                .kernel("inet_merge"));
        for (String name : List.of("network_sub", "network_subeq", "network_sup", "network_supeq", "network_overlap")) {
            rows.add(function(name, INET, INET).gives(BOOL).kernel(name));
        }
        rows.add(function("inetnot", INET).gives(INET).kernel("inetnot"));
        for (String name : List.of("inetand", "inetor")) {
            rows.add(function(name, INET, INET)
                    .gives(INET)
                    .fails(INVALID_PARAMETER_VALUE)
                    .kernel(name));
        }
        for (String name : List.of("inetpl", "inetmi_int8")) {
            rows.add(function(name, INET, INT8)
                    .gives(INET)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel(name));
        }
        rows.add(function("int8pl_inet", INT8, INET)
                .gives(INET)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("int8pl_inet"));
        rows.add(function("inetmi", INET, INET)
                .gives(INT8)
                .fails(INVALID_PARAMETER_VALUE, NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("inetmi"));
        for (PgType type : List.of(MACADDR, MACADDR8)) {
            String name = type.typeName();
            rows.add(function("trunc", type).gives(type).kernel(name + "_trunc"));
            rows.add(function(name + "_not", type).gives(type).kernel(name + "_not"));
            rows.add(function(name + "_and", type, type).gives(type).kernel(name + "_and"));
            rows.add(function(name + "_or", type, type).gives(type).kernel(name + "_or"));
        }
        rows.add(function("macaddr8_set7bit", MACADDR8).gives(MACADDR8).kernel("macaddr8_set7bit"));
        rows.add(function("macaddr8", MACADDR).gives(MACADDR8).kernel("macaddrtomacaddr8"));
        rows.add(function("macaddr", MACADDR8)
                .gives(MACADDR)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("macaddr8tomacaddr"));
        return List.copyOf(rows);
    }
}
