package dev.quarrel.server.catalog;

import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.calcite.SettingState;
import dev.quarrel.calcite.SettingType;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.ZoneAbbreviations;
import dev.quarrel.core.type.Interval;
import dev.quarrel.server.catalog.ClientSession.Activity;
import dev.quarrel.server.config.SettingList;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The system relations of the moment: sessions and what they do, their cursors, prepared statements and settings.
final class LiveTables {
    /// By qualified name; `()` is behind those of functions.
    static final Map<String, LiveTable> ALL = Stream.of(
                    LiveTable.of("pg_catalog.pg_settings", LiveTables::settings),
                    LiveTable.of("pg_catalog.pg_cursors", LiveTables::cursors),
                    LiveTable.of("pg_catalog.pg_prepared_statements", LiveTables::preparedStatements),
                    LiveTable.of("pg_catalog.pg_stat_activity", LiveTables::activity),
                    LiveTable.of("pg_catalog.pg_locks", LiveTables::locks),
                    LiveTable.of("pg_catalog.pg_stat_database", LiveTables::database),
                    LiveTable.of("pg_catalog.pg_timezone_names", LiveTables::timeZones),
                    LiveTable.of("pg_catalog.pg_show_all_settings()", LiveTables::settings),
                    LiveTable.of("pg_catalog.pg_cursor()", LiveTables::cursors),
                    LiveTable.of("pg_catalog.pg_prepared_statement()", LiveTables::preparedStatements),
                    LiveTable.of("pg_catalog.pg_lock_status()", LiveTables::locks),
                    LiveTable.of("pg_catalog.pg_timezone_names()", LiveTables::timeZones))
            .collect(Collectors.toMap(LiveTable::qualifiedName, table -> table));

    private LiveTables() {}

    private static void settings(SqlSession session, RelationRows rows) {
        for (SettingState state : session.settingStates()) {
            SettingDefinition definition = state.definition();
            SettingType type = definition.type();
            SettingOrigin origin = state.origin();
            boolean isOfFile = origin.isFile();
            rows.add(
                    "name",
                    definition.name(),
                    "setting",
                    inUnit(type, state.value()),
                    "unit",
                    type.unit(),
                    "category",
                    "Settings",
                    "short_desc",
                    definition.description(),
                    "context",
                    definition.isOfSessions()
                            ? "user"
                            : SettingList.isOfProcess(definition) ? "postmaster" : "internal",
                    "vartype",
                    type.vartype(),
                    "source",
                    origin.source(),
                    "min_val",
                    bound(type, true),
                    "max_val",
                    bound(type, false),
                    "enumvals",
                    type instanceof SettingType.Word word ? ArrayText.format(words(word)) : null,
                    "boot_val",
                    inUnit(type, definition.defaultValue()),
                    "reset_val",
                    inUnit(type, state.resetValue()),
                    "sourcefile",
                    isOfFile ? Path.of(origin.place()).getFileName().toString() : null,
                    "sourceline",
                    isOfFile ? origin.line() : null,
                    "pending_restart",
                    false);
        }
    }

    private static String bound(SettingType type, boolean isLeast) {
        return switch (type) {
            case SettingType.Whole whole -> Long.toString(isLeast ? whole.min() : whole.max());
            case SettingType.Real real -> real.show(isLeast ? real.min() : real.max());
            case SettingType.Text _, SettingType.Switch _, SettingType.Word _ -> null;
        };
    }

    private static List<String> words(SettingType.Word type) {
        return type.words().stream().filter(word -> !word.isEmpty()).toList();
    }

    /// As SHOW gives it, but numbers with the setting's own unit.
    private static String inUnit(SettingType type, String value) {
        return type instanceof SettingType.Whole whole && whole.unit() != null && !value.isEmpty()
                ? Long.toString(whole.parse(value))
                : value;
    }

    private static void cursors(SqlSession session, RelationRows rows) {
        ClientSession client = session.attached(ClientSession.class);
        if (client != null) {
            client.cursors()
                    .forEach(cursor -> rows.add(
                            "name", cursor.name(),
                            "statement", cursor.statement(),
                            "is_holdable", cursor.isHeld(),
                            "is_binary", cursor.isBinary(),
                            "is_scrollable", cursor.isScrollable(),
                            "creation_time", micros(cursor.since())));
        }
    }

    private static void preparedStatements(SqlSession session, RelationRows rows) {
        ClientSession client = session.attached(ClientSession.class);
        if (client != null) {
            client.preparedStatements()
                    .forEach(prepared -> rows.add(
                            "name", prepared.name(),
                            "statement", prepared.statement(),
                            "prepare_time", micros(prepared.since()),
                            "parameter_types", oids(prepared.parameterTypes()),
                            "result_types", prepared.resultTypes() == null ? null : oids(prepared.resultTypes()),
                            "from_sql", prepared.isFromSql(),
                            "generic_plans", 0,
                            "custom_plans", 0));
        }
    }

    private static String oids(List<Integer> types) {
        return ArrayText.format(types.stream().map(Integer::toUnsignedString).toList());
    }

    /// What a user may not see of others is left out, as in PostgreSQL.
    private static void activity(SqlSession session, RelationRows rows) {
        for (ClientSession client : sessions(session)) {
            Activity activity = client.activity();
            boolean isOwn = activity.user().equals(session.user());
            InetSocketAddress address = client.clientAddress();
            rows.add(
                    "datid", ObjectNames.databaseOid(client.database()),
                    "datname", client.database(),
                    "pid", client.processId(),
                    "usesysid", SystemTables.roleOid(activity.user()),
                    "usename", activity.user(),
                    "application_name", activity.application(),
                    "client_addr",
                            !isOwn || address == null
                                    ? null
                                    : address.getAddress().getHostAddress(),
                    "client_port", !isOwn || address == null ? null : address.getPort(),
                    "backend_start", isOwn ? micros(activity.since()) : null,
                    "xact_start", isOwn ? micros(activity.transactionStart()) : null,
                    "query_start", isOwn ? micros(activity.queryStart()) : null,
                    "state_change", isOwn ? micros(activity.stateChange()) : null,
                    "state", isOwn ? activity.state() : null,
                    "wait_event_type", isOwn && activity.state().startsWith("idle") ? "Client" : null,
                    "wait_event", isOwn && activity.state().startsWith("idle") ? "ClientRead" : null,
                    "query_id", isOwn && activity.queryId() != 0 ? activity.queryId() : null,
                    "query", isOwn ? activity.query() : "<insufficient privilege>",
                    "backend_type", isOwn ? "client backend" : null);
        }
    }

    private static List<ClientSession> sessions(SqlSession session) {
        ClientSession client = session.attached(ClientSession.class);
        return client == null ? List.of() : client.all();
    }

    private static void locks(SqlSession session, RelationRows rows) {
        ClientSession client = session.attached(ClientSession.class);
        if (client == null) {
            return;
        }
        for (AdvisoryLocks.Held held : client.locks().held()) {
            rows.add(
                    "locktype",
                    "advisory",
                    "database",
                    ObjectNames.databaseOid(session.database()),
                    "classid",
                    Integer.toUnsignedLong(held.key().first()),
                    "objid",
                    Integer.toUnsignedLong(held.key().second()),
                    "objsubid",
                    held.key().isPair() ? 2 : 1,
                    "pid",
                    held.processId(),
                    "mode",
                    held.isShared() ? "ShareLock" : "ExclusiveLock",
                    "granted",
                    true,
                    "fastpath",
                    false);
        }
    }

    private static void database(SqlSession session, RelationRows rows) {
        rows.add(
                "datid", ObjectNames.databaseOid(session.database()),
                "datname", session.database(),
                "numbackends",
                        sessions(session).stream()
                                .filter(each -> each.database().equals(session.database()))
                                .count(),
                "tup_inserted", 0,
                "tup_updated", 0,
                "tup_deleted", 0,
                "conflicts", 0,
                "deadlocks", 0);
    }

    private static void timeZones(SqlSession session, RelationRows rows) {
        Instant now = Instant.now();
        for (ZoneAbbreviations.Clock clock : ZoneAbbreviations.clocks(now)) {
            rows.add(
                    "name",
                    clock.zone(),
                    "abbrev",
                    clock.abbreviation(),
                    "utc_offset",
                    new Interval(0, 0, clock.offsetSeconds() * 1_000_000L),
                    "is_dst",
                    clock.isDaylightSaving());
        }
    }

    /// A time as columns have it.
    static Long micros(Instant instant) {
        return instant == null ? null : ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
