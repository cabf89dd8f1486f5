package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.server.wire.BackendMessage;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The settings whose values a client is told at the start and whenever they change: PostgreSQL 18's, in its
/// order, and those that newer drivers look for (`search_path`, `scram_iterations`).
///
/// Source: the GUC_REPORT flags of PostgreSQL 18's `guc_tables.c`.
final class ReportedSettings {
    private static final List<String> NAMES = List.of(
            "application_name",
            "client_encoding",
            "DateStyle",
            "default_transaction_read_only",
            "in_hot_standby",
            "integer_datetimes",
            "IntervalStyle",
            "is_superuser",
            "scram_iterations",
            "search_path",
            "server_encoding",
            "server_version",
            "session_authorization",
            "standard_conforming_strings",
            "TimeZone");
    private static final Map<String, String> SPELLINGS =
            NAMES.stream().collect(Collectors.toMap(name -> name.toLowerCase(Locale.ROOT), Function.identity()));

    private ReportedSettings() {}

    static boolean contains(String name) {
        return SPELLINGS.containsKey(name.toLowerCase(Locale.ROOT));
    }

    /// The name as PostgreSQL writes it; drivers compare it exactly.
    static String spelling(String name) {
        return SPELLINGS.get(name.toLowerCase(Locale.ROOT));
    }

    static void sendAll(SqlSession session, Output out) {
        for (String name : NAMES) {
            String value = session.setting(name);
            if (value != null) {
                out.write(new BackendMessage.ParameterStatus(name, value));
            }
        }
    }
}
