package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.SettingState;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.session.Settings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Runs the statements that show and change a session's settings.
final class SettingStatements {
    private final Settings settings;

    SettingStatements(Settings settings) {
        this.settings = settings;
    }

    Execution show(Statement.Show show) {
        if (!show.name().equals("all")) {
            String name = settings.displayName(show.name());
            return RowsExecution.ofText("SHOW", List.of(name), List.of(List.of(settings.show(name))));
        }
        List<List<String>> rows = new ArrayList<>();
        for (SettingState state : settings.states()) {
            rows.add(List.of(
                    state.definition().name(), state.value(), state.definition().description()));
        }
        return RowsExecution.ofText("SHOW", List.of("name", "setting", "description"), rows);
    }

    void set(Statement.Set set) {
        if (set.values().isEmpty()) {
            settings.reset(set.name());
        } else {
            settings.set(set.name(), value(set), set.local());
        }
    }

    private static String value(Statement.Set set) {
        boolean takesList = set.name().equals("search_path") || set.name().equals("datestyle");
        if (set.values().size() > 1 && !takesList) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "SET " + set.name() + " takes only one argument");
        }
        return set.name().equals("search_path")
                ? String.join(
                        ", ",
                        set.values().stream().map(SettingStatements::quoted).toList())
                : String.join(", ", set.values());
    }

    private static String quoted(String name) {
        boolean isPlain = name.matches("[a-z_][a-z0-9_]*");
        return isPlain ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    void reset(Statement.Reset reset) {
        if (reset.name().equals("all")) {
            settings.resetAll();
        } else {
            settings.reset(reset.name());
        }
    }

    void set(Statement.SetTransaction set) {
        Statement.TransactionModes modes = set.modes();
        if (set.session()) {
            apply("default_transaction_isolation", modes.isolation(), false);
            apply("default_transaction_read_only", onOff(modes.readOnly()), false);
            apply("default_transaction_deferrable", onOff(modes.deferrable()), false);
        } else {
            apply(modes);
        }
    }

    /// The modes of a transaction that begins: those not said are the session's.
    void begin(Statement.TransactionModes modes) {
        settings.begin();
        apply(modes);
    }

    void apply(Statement.TransactionModes modes) {
        apply("transaction_isolation", modes.isolation(), true);
        apply("transaction_read_only", onOff(modes.readOnly()), true);
        apply("transaction_deferrable", onOff(modes.deferrable()), true);
    }

    private void apply(String name, String value, boolean local) {
        if (value != null) {
            settings.set(name, value, local);
        }
    }

    private static String onOff(Boolean value) {
        return value == null ? null : value ? "on" : "off";
    }
}
