package dev.quarrel.calcite.session;

import dev.quarrel.calcite.SettingDefaults;
import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.calcite.SettingState;
import dev.quarrel.core.pg.ZoneNames;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/// One session's run-time parameters, with PostgreSQL's rules for SET, SET LOCAL, RESET and transactions.
///
/// - SET inside a transaction block is undone by its rollback; SET LOCAL ends with the transaction either way.
/// - A transaction's modes (`transaction_read_only` and the like) are what `default_transaction_read_only` says when it
///   begins, and can be set in it only.
/// - Errors: 42704 for an unknown parameter, 22023 for a bad value, 55P02 for one that cannot change.
public final class Settings {
    /// What `server_version` says; clients choose their SQL by it.
    public static final String SERVER_VERSION = "18.6 (Quarrel 0.1)";

    /// Which run of the dataset a session reads: said once, when it starts.
    public static final String SNAPSHOT = "quarrel.snapshot";

    private static final Map<String, Setting> KNOWN = known();

    /// Values that differ from the default, by lower-case name.
    private final Map<String, String> values = new TreeMap<>();
    private final Map<String, Setting> custom = new TreeMap<>(); // an application's own
    private boolean isInTransaction;
    private Map<String, String> atBegin; // of the transaction; null while it has changed none
    private Map<String, String> beforeLocal = Map.of();
    private static final SettingOrigin OF_SESSION = new SettingOrigin("session", null, 0);

    private final List<BiConsumer<String, String>> listeners = new ArrayList<>();
    private static final Set<String> WRITABLE = Set.of("default_transaction_read_only", "transaction_read_only");
    private static final Set<String> OF_PLANS =
            Set.of("geqo", "jit", "plan_cache_mode", "search_path", "temp_file_limit", "work_mem");
    private static final Set<String> MODES =
            Set.of("transaction_isolation", "transaction_read_only", "transaction_deferrable");

    private final Map<String, String> sessionDefaults = new TreeMap<>();
    private SettingDefaults given = SettingDefaults.NONE;
    private long changes;
    private boolean isWritable;

    private static Map<String, Setting> known() {
        List<Setting> all = List.of(
                Setting.text("application_name", "", true, "Sets the application name to be reported."),
                Setting.oneOf("bytea_output", false, "Sets the output format for bytea.", List.of("hex", "escape")),
                new Setting(
                        "client_encoding",
                        "UTF8",
                        true,
                        "Sets the client's character set encoding.",
                        Settings::clientEncoding),
                Setting.oneOf(
                        "client_min_messages",
                        false,
                        "Sets the message levels that are sent to the client.",
                        List.of("notice", "debug5", "debug4", "debug3", "debug2", "debug1", "log", "warning", "error")),
                new Setting(
                        "DateStyle", "ISO, MDY", true, "Sets the display format for date values.", Settings::dateStyle),
                Setting.oneOf(
                        "default_transaction_isolation",
                        false,
                        "Sets the transaction isolation level of each new transaction.",
                        List.of("read committed", "repeatable read", "read uncommitted", "serializable")),
                new Setting(
                        "default_transaction_read_only",
                        "on",
                        true,
                        "Sets the default read-only status of new transactions.",
                        Settings::readOnly),
                Setting.integer("extra_float_digits", 1, -15, 3, "Sets the number of digits displayed for floats."),
                Setting.fixed("in_hot_standby", "off", true, "Shows whether hot standby is currently active."),
                Setting.fixed("integer_datetimes", "on", true, "Shows whether datetimes are integer based."),
                Setting.oneOf(
                        "IntervalStyle",
                        true,
                        "Sets the display format for interval values.",
                        List.of("postgres", "postgres_verbose", "sql_standard", "iso_8601")),
                Setting.duration("idle_in_transaction_session_timeout", "Sets the idle time in a transaction."),
                Setting.duration("idle_session_timeout", "Sets the idle time outside a transaction."),
                Setting.bool("jit", false, false, "Allow JIT compilation; without effect."),
                Setting.oneOf("lc_collate", false, "Shows the collation order locale.", List.of("C")),
                Setting.oneOf("lc_ctype", false, "Shows the character classification.", List.of("C")),
                Setting.oneOf("lc_messages", false, "Sets the language of messages.", List.of("C")),
                Setting.oneOf("lc_monetary", false, "Sets the locale for monetary amounts.", List.of("C")),
                Setting.oneOf("lc_numeric", false, "Sets the locale for numbers.", List.of("C")),
                Setting.oneOf("lc_time", false, "Sets the locale for dates.", List.of("C")),
                Setting.duration("lock_timeout", "Sets the maximum duration of any wait for a lock; there are none."),
                Setting.fixed("max_identifier_length", "63", false, "Shows the maximum identifier length."),
                Setting.fixed("max_index_keys", "32", false, "Shows the maximum number of index keys."),
                Setting.oneOf(
                        "plan_cache_mode",
                        false,
                        "Whether statements that differ in literals share a plan: from the second one on, never, or from"
                                + " the first one on.",
                        List.of("auto", "force_custom_plan", "force_generic_plan")),
                Setting.oneOf("quarrel.device", false, "Which device runs queries.", List.of("auto", "cpu", "cuda")),
                Setting.bytes("quarrel.query_memory", "Memory one query may hold; 0 is the engine's bound."),
                Setting.fixed(
                        SNAPSHOT,
                        "",
                        false,
                        "The run of the dataset that the session reads, as its start has asked for; empty: the newest."),
                Setting.bool("quarrel.require_gpu", false, false, "Whether a fallback to the CPU is an error."),
                Setting.fraction(
                        "quarrel.verify_fraction",
                        "The share of pipelines that run twice, on different devices or tiers, to compare what they make."),
                Setting.integer(
                        "quarrel.verify_seed",
                        0,
                        Integer.MIN_VALUE,
                        Integer.MAX_VALUE,
                        "Which pipelines quarrel.verify_fraction chooses."),
                Setting.text("role", "none", false, "Sets the current role; without effect."),
                Setting.fixed("scram_iterations", "4096", true, "Iterations of SCRAM secrets."),
                Setting.text("search_path", "\"$user\", public", true, "Sets the schema search order."),
                Setting.fixed("server_encoding", "UTF8", true, "Shows the server's character set encoding."),
                Setting.fixed("server_version", SERVER_VERSION, true, "Shows the server version."),
                Setting.fixed("server_version_num", "180006", false, "Shows the server version as a number."),
                Setting.fixed("is_superuser", "off", true, "Shows whether the current user is a superuser."),
                Setting.fixed("session_authorization", "", true, "Shows the session user name."),
                Setting.oneOf(
                        "standard_conforming_strings",
                        true,
                        "Whether backslashes in ordinary strings are literal.",
                        List.of("on")),
                Setting.duration("statement_timeout", "Sets the maximum allowed duration of any statement."),
                Setting.bool("synchronize_seqscans", true, false, "Enable synchronized scans; without effect."),
                Setting.bytesOrNone(
                        "temp_file_limit",
                        "Limits the total size of all temporary files used by each query; -1 means no limit."),
                new Setting("TimeZone", "UTC", true, "Sets the time zone.", Settings::timeZone),
                Setting.oneOf(
                        "transaction_isolation",
                        false,
                        "Sets the current transaction's isolation level.",
                        List.of("read committed", "repeatable read", "read uncommitted", "serializable")),
                new Setting(
                        "transaction_read_only",
                        "on",
                        false,
                        "Sets the current transaction's read-only status.",
                        Settings::readOnly),
                Setting.bool("transaction_deferrable", false, false, "Whether to defer a read-only transaction."),
                Setting.bytes("work_mem", "Without effect: see quarrel.query_memory."),
                Setting.bool("row_security", true, false, "Enable row security; without effect."));
        List<Setting> every = new ArrayList<>(all);
        every.addAll(withoutEffect());
        Map<String, Setting> byName = new TreeMap<>();
        for (Setting setting : every) {
            byName.put(setting.name().toLowerCase(Locale.ROOT), setting);
        }
        return byName;
    }

    /// What clients set or ask for and nothing here depends on.
    private static List<Setting> withoutEffect() {
        List<Setting> settings = new ArrayList<>();
        for (String name : List.of(
                "array_nulls",
                "check_function_bodies",
                "escape_string_warning",
                "geqo",
                "track_activities",
                "enable_bitmapscan",
                "enable_hashagg",
                "enable_hashjoin",
                "enable_indexonlyscan",
                "enable_indexscan",
                "enable_material",
                "enable_mergejoin",
                "enable_nestloop",
                "enable_seqscan",
                "enable_sort")) {
            settings.add(Setting.bool(name, true, false, "Without effect."));
        }
        for (String name :
                List.of("default_transaction_deferrable", "quote_all_identifiers", "transform_null_equals")) {
            settings.add(Setting.bool(name, false, false, "Without effect."));
        }
        for (String name : List.of("default_tablespace", "temp_tablespaces", "cluster_name")) {
            settings.add(Setting.text(name, "", false, "Without effect."));
        }
        settings.add(Setting.text("default_table_access_method", "heap", false, "Without effect."));
        settings.add(Setting.text("default_text_search_config", "pg_catalog.simple", false, "Without effect."));
        settings.add(Setting.oneOf("xmloption", false, "Without effect.", List.of("content", "document")));
        settings.add(Setting.oneOf(
                "synchronous_commit",
                false,
                "Without effect: nothing is written.",
                List.of("on", "off", "local", "remote_write", "remote_apply")));
        settings.add(Setting.oneOf(
                "session_replication_role", false, "Without effect.", List.of("origin", "replica", "local")));
        settings.add(
                Setting.oneOf("constraint_exclusion", false, "Without effect.", List.of("partition", "on", "off")));
        settings.add(Setting.integer("default_statistics_target", 100, 1, 10_000, "Without effect."));
        settings.add(Setting.integer("from_collapse_limit", 8, 1, Integer.MAX_VALUE, "Without effect."));
        settings.add(Setting.integer("join_collapse_limit", 8, 1, Integer.MAX_VALUE, "Without effect."));
        settings.add(Setting.integer("max_parallel_workers_per_gather", 2, 0, 1024, "Without effect."));
        settings.add(Setting.bytes("maintenance_work_mem", "Without effect."));
        settings.add(Setting.bytes("temp_buffers", "Without effect: see quarrel.query_memory."));
        settings.add(Setting.duration("transaction_timeout", "Without effect: see statement_timeout."));
        settings.add(Setting.fixed("block_size", "8192", false, "Shows the size of a disk block."));
        settings.add(Setting.fixed("segment_size", "1GB", false, "Shows the number of pages per disk file."));
        settings.add(Setting.fixed("password_encryption", "scram-sha-256", false, "How passwords are kept."));
        return settings;
    }

    private static String readOnly(String text) {
        String value =
                Setting.bool("transaction_read_only", true, false, "").check().apply(text);
        if (value.equals("off")) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "cannot set transaction read-write mode: Quarrel only reads")
                    .withHint("Write to PostgreSQL, then export the tables again.");
        }
        return value;
    }

    /// UTF-8 under the names PostgreSQL knows it by, and SQL_ASCII, which converts nothing: libpq asks for it where the
    /// locale is C.
    private static String clientEncoding(String text) {
        return switch (text.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT)) {
            case "utf8", "unicode" -> "UTF8";
            case "sqlascii" -> "SQL_ASCII";
            default ->
                throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "invalid value for parameter \"client_encoding\": \"" + text + "\"")
                        .withHint("Available values: UTF8, SQL_ASCII.");
        };
    }

    /// One of the orders, in front of which ISO may stand. What is not said stays as it is ([#keepingOrder]).
    private static String dateStyle(String text) {
        String order = "";
        for (String part : text.trim().toUpperCase(Locale.ROOT).split("[,\\s]+")) {
            String named =
                    switch (part) {
                        case "ISO", "" -> "";
                        case "MDY", "US", "NONEURO", "NONEUROPEAN" -> "MDY";
                        case "DMY", "EURO", "EUROPEAN" -> "DMY";
                        case "YMD" -> "YMD";
                        case "DEFAULT" -> "MDY";
                        case "SQL", "POSTGRES", "GERMAN" ->
                            throw new QueryException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    "DateStyle \"" + text + "\" is not supported: only ISO is");
                        default -> throw noDateStyle(text);
                    };
            if (!named.isEmpty() && !order.isEmpty() && !named.equals(order)) {
                throw noDateStyle(text);
            }
            order = named.isEmpty() ? order : named;
        }
        return order.isEmpty() ? "ISO" : "ISO, " + order;
    }

    private static QueryException noDateStyle(String text) {
        return new QueryException(
                SqlState.INVALID_PARAMETER_VALUE, "invalid value for parameter \"DateStyle\": \"" + text + "\"");
    }

    /// A DateStyle without an order keeps that of the session.
    private String keepingOrder(Setting setting, String checked) {
        return checked.equals("ISO") ? value(setting) : checked;
    }

    private static String timeZone(String text) {
        String name = text.trim();
        ZoneId zone =
                switch (name.toLowerCase(Locale.ROOT)) {
                    case "local", "default" -> ZoneNames.ofSetting("UTC");
                    default -> ZoneNames.ofSetting(name);
                };
        if (zone == null) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "invalid value for parameter \"TimeZone\": \"" + text + "\"");
        }
        boolean isNumber = zone instanceof ZoneOffset && (Character.isDigit(name.charAt(0)) || name.matches("[+-].*"));
        return isNumber || !(zone instanceof ZoneOffset) ? ZoneNames.shown(zone) : name.toUpperCase(Locale.ROOT);
    }

    /// Gives a parameter another default in this session: the user's name, what the client asked for at its start.
    ///
    /// - Errors: as `set`, but parameters that cannot change may be given their value here.
    public void setDefault(String name, String value) {
        Setting setting = find(name);
        changes++;
        sessionDefaults.put(
                key(name),
                setting.check() == null
                        ? value
                        : keepingOrder(setting, setting.check().apply(value)));
    }

    /// Statements may write unless the session says otherwise.
    public void setWritable() {
        isWritable = true;
        changes++;
        sessionDefaults.put(key("default_transaction_read_only"), "off");
    }

    /// The value as SHOW gives it.
    public String show(String name) {
        return value(find(name));
    }

    /// The name as SHOW writes it at the head of its column.
    public String displayName(String name) {
        return find(name).name();
    }

    /// Whether there is such a parameter.
    public boolean isKnown(String name) {
        return KNOWN.containsKey(key(name)) || custom.containsKey(key(name)) || given.find(name) != null;
    }

    /// All values by display name, in the order of SHOW ALL.
    public SequencedMap<String, String> all() {
        SequencedMap<String, String> all = new LinkedHashMap<>();
        states().forEach(state -> all.put(state.definition().name(), state.value()));
        return all;
    }

    /// All parameters as they stand, in the order of SHOW ALL.
    public List<SettingState> states() {
        Map<String, Setting> every = new TreeMap<>(KNOWN);
        given.all().forEach(each -> every.putIfAbsent(key(each.definition().name()), ofProcess(each)));
        return every.values().stream().map(this::state).toList();
    }

    /// Those that EXPLAIN shows, which plans may depend on here or in PostgreSQL, and that differ from what they are
    /// everywhere.
    public SequencedMap<String, String> explained() {
        SequencedMap<String, String> explained = new LinkedHashMap<>();
        for (SettingState state : states()) {
            SettingDefinition definition = state.definition();
            String name = definition.name();
            boolean isOfPlans = name.startsWith("quarrel.") || name.startsWith("enable_") || OF_PLANS.contains(name);
            if (isOfPlans && definition.isOfSessions() && !state.value().equals(definition.defaultValue())) {
                explained.put(name, state.value());
            }
        }
        return explained;
    }

    private SettingState state(Setting setting) {
        SettingDefaults.Given ofAll = given.find(setting.name());
        String value = value(setting);
        SettingOrigin origin = ofAll == null ? SettingOrigin.DEFAULT : ofAll.origin();
        return new SettingState(
                ofAll == null ? setting.definition() : ofAll.definition(),
                value,
                defaultOf(setting),
                value.equals(defaultOf(setting)) ? origin : OF_SESSION);
    }

    /// The parameters that sessions may set.
    public static List<SettingDefinition> definitions() {
        return KNOWN.values().stream()
                .filter(setting -> setting.check() != null)
                .map(Setting::definition)
                .toList();
    }

    /// A value in the form that SHOW gives.
    ///
    /// - Errors: as `set`.
    public static String checked(String name, String value) {
        Settings none = new Settings();
        none.set(name, value, false);
        return none.show(name);
    }

    /// What sessions begin with, and the process' settings, which they show.
    public void setDefaults(SettingDefaults defaults) {
        changes++;
        given = defaults;
    }

    private static Setting ofProcess(SettingDefaults.Given each) {
        return Setting.fixed(
                each.definition().name(), each.value(), false, each.definition().description());
    }

    /// @param local SET LOCAL: until the end of the transaction
    public void set(String name, String value, boolean local) {
        Setting setting = findOrMake(name);
        if (setting.check() == null) {
            throw new QueryException(
                    SqlState.CANT_CHANGE_RUNTIME_PARAM, "parameter \"" + setting.name() + "\" cannot be changed");
        }
        String checked = isWritable && WRITABLE.contains(setting.name())
                ? Setting.bool(setting.name(), false, false, "").check().apply(value)
                : keepingOrder(setting, setting.check().apply(value));
        if (local || MODES.contains(setting.name())) {
            if (!isInTransaction) {
                return;
            }
            if (beforeLocal.isEmpty()) {
                beforeLocal = new TreeMap<>();
            }
            beforeLocal.putIfAbsent(key(name), value(setting));
        } else if (!beforeLocal.isEmpty()) {
            beforeLocal.remove(key(name));
        }
        put(setting, checked);
    }

    /// RESET name; `set name TO DEFAULT`.
    public void reset(String name) {
        Setting setting = find(name);
        if (setting.check() == null) {
            throw new QueryException(
                    SqlState.CANT_CHANGE_RUNTIME_PARAM, "parameter \"" + setting.name() + "\" cannot be changed");
        }
        put(setting, defaultOf(setting));
    }

    /// RESET ALL.
    public void resetAll() {
        for (String key : List.copyOf(values.keySet())) {
            if (!MODES.contains(key)) {
                put(find(key), defaultOf(find(key)));
            }
        }
    }

    /// A transaction of several statements begins, unless one has.
    public void begin() {
        isInTransaction = true;
    }

    /// The values at a savepoint.
    public record Mark(Map<String, String> values, Map<String, String> beforeLocal) {}

    /// What [#backTo] goes back to.
    public Mark mark() {
        Map<String, String> every = new TreeMap<>(values);
        MODES.forEach(mode -> every.put(mode, value(find(mode))));
        return new Mark(every, new TreeMap<>(beforeLocal));
    }

    /// The transaction goes back to a savepoint: what has been set since is undone.
    public void backTo(Mark mark) {
        restore(mark.values());
        beforeLocal = mark.beforeLocal().isEmpty() ? Map.of() : new TreeMap<>(mark.beforeLocal());
    }

    /// The transaction ends: SET LOCAL is undone, and with a rollback SET too.
    public void end(boolean committed) {
        isInTransaction = false;
        Map<String, String> old = atBegin;
        atBegin = null;
        if (old == null) {
            return;
        }
        MODES.forEach(values::remove);
        if (committed) {
            Map<String, String> locals = beforeLocal;
            beforeLocal = Map.of();
            locals.forEach((key, value) -> put(find(key), value));
            return;
        }
        beforeLocal = Map.of();
        restore(old);
    }

    private void restore(Map<String, String> old) {
        Map<String, Setting> every = new TreeMap<>(KNOWN);
        every.putAll(custom);
        every.forEach((key, setting) -> {
            String before = old.containsKey(key) ? old.get(key) : defaultOf(setting);
            if (!value(setting).equals(before)) {
                put(setting, before);
            }
        });
    }

    /// Is told of every change of a parameter that clients are told of: its display name and new value.
    public void onReportedChange(BiConsumer<String, String> listener) {
        listeners.add(listener);
    }

    /// Milliseconds of a duration parameter; 0 for none.
    public long millis(String name) {
        return Setting.millis(name, show(name));
    }

    /// Bytes of a size parameter; 0 for none, -1 for a bound that there is not.
    public long bytes(String name) {
        if (show(name).equals("-1")) {
            return -1;
        }
        return Setting.kilobytes(name, show(name)) * 1024;
    }

    public boolean isOn(String name) {
        return show(name).equals("on");
    }

    /// Grows whenever a value changes: for who keeps what depends on values.
    public long changes() {
        return changes;
    }

    private void put(Setting setting, String value) {
        if (isInTransaction && atBegin == null) {
            atBegin = new TreeMap<>(values);
            MODES.forEach(mode -> values.put(mode, value(find(mode)))); // whatever becomes of the defaults
        }
        String old = value(setting);
        boolean isMode = MODES.contains(setting.name());
        if (isMode ? !isInTransaction : value.equals(defaultOf(setting))) {
            values.remove(key(setting.name()));
        } else {
            values.put(key(setting.name()), value);
        }
        if (old.equals(value)) {
            return;
        }
        changes++;
        if (setting.reported()) {
            listeners.forEach(listener -> listener.accept(setting.name(), value));
        }
    }

    private String value(Setting setting) {
        String value = values.get(key(setting.name()));
        return value != null ? value : defaultOf(setting);
    }

    private String defaultOf(Setting setting) {
        String own = sessionDefaults.get(key(setting.name()));
        if (own != null) {
            return own;
        }
        if (MODES.contains(setting.name())) {
            return value(find("default_" + setting.name()));
        }
        SettingDefaults.Given ofAll = given.find(setting.name());
        return ofAll == null ? setting.defaultValue() : ofAll.value();
    }

    /// An application's own parameter, `prefix.name`, is made by setting it.
    ///
    /// - Errors: 42704 for an unknown parameter, 42602 for a name that none can have.
    private Setting findOrMake(String name) {
        String key = key(name);
        if (!key.contains(".") || key.startsWith("quarrel.") || isKnown(name)) {
            return find(name);
        }
        if (!key.matches("[a-z_][a-z0-9_$]*(\\.[a-z_][a-z0-9_$]*)+")) {
            throw new QueryException(SqlState.INVALID_NAME, "invalid configuration parameter name \"" + name + "\"")
                    .withDetail("Custom parameter names must be two or more simple identifiers separated by dots.");
        }
        return custom.computeIfAbsent(key, _ -> Setting.text(name, "", false, "An application's own parameter."));
    }

    private Setting find(String name) {
        Setting setting = KNOWN.getOrDefault(key(name), custom.get(key(name)));
        if (setting == null && given.find(name) != null) {
            return ofProcess(given.find(name));
        }
        if (setting == null) {
            throw new QueryException(
                    SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + name + "\"");
        }
        return setting;
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
