package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The values of columns' defaults: a query of so many rows, so that `now()` is one value, and `random()` another
/// one in each.
final class DefaultValues implements FilledRows.Expressions {
    // PostgreSQL's volatile functions, as far as there are some here.
    private static final Set<String> VOLATILE = Set.of(
            "random",
            "random_normal",
            "gen_random_uuid",
            "uuidv4",
            "uuidv7",
            "clock_timestamp",
            "timeofday",
            "nextval",
            "setval",
            "pg_sleep");
    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*");
    private static final int MOST_CONSTANT = 200; // characters: folders are called so

    private final LocalEngine engine;
    private final LocalSession session;
    private final SessionPlans plans;
    private final Transaction transaction;
    private final Cancellation cancellation;
    private final long timeoutMillis;

    DefaultValues(
            LocalEngine engine,
            LocalSession session,
            SessionPlans plans,
            Transaction transaction,
            Cancellation cancellation,
            long timeoutMillis) {
        this.engine = engine;
        this.session = session;
        this.plans = plans;
        this.transaction = transaction;
        this.cancellation = cancellation;
        this.timeoutMillis = timeoutMillis;
    }

    /// The values of some defaults, in rows up to a parameter.
    static Statement.Insert query(LocalEngine engine, List<ColumnDefault> defaults, List<Field> fields) {
        String expressions =
                defaults.stream().map(each -> "(" + each.expression() + ")").collect(Collectors.joining(", "));
        String sql = "SELECT " + expressions + " FROM generate_series(1, $1)";
        // A plan is found by its text: assigned to other types it is another one.
        String key = sql + " /* "
                + fields.stream()
                        .map(field -> field.name() + " " + field.pgType() + " " + field.type())
                        .collect(Collectors.joining(", "));
        List<String> names = fields.stream().map(Field::name).toList();
        Statement.Query query = (Statement.Query) engine.parse(sql).getFirst();
        return new Statement.Insert(key, 0, key.length(), names, names, query);
    }

    @Override
    public Batch of(List<ColumnDefault> defaults, List<Field> fields, int rowCount) {
        Statement.Insert values = query(engine, defaults, fields);
        SharedSnapshot seen = transaction.definitions();
        List<Literal> count = List.of(new Literal(DataType.INT32, (long) rowCount));
        try {
            PlannedQuery planned = plans.planDefaults(values, fields, false, seen, cancellation);
            return FilledRows.joined(
                    new WideningExecution(
                            () -> session.run(planned, seen, count, cancellation, timeoutMillis),
                            () -> session.run(
                                    plans.planDefaults(values, fields, true, seen, cancellation),
                                    seen,
                                    count,
                                    cancellation,
                                    timeoutMillis)),
                    fields,
                    rowCount);
        } catch (QueryException wrong) {
            throw wrong.withoutPosition();
        }
    }

    /// The value that rows have of a column that comes to them, as a manifest has it; null for NULL.
    ///
    /// - Errors: 0A000 for one that differs between rows, or that a manifest does not have.
    String constant(ColumnDefault newDefault, Field field) {
        boolean isVolatile = newDefault.counter() != null
                || WORD.matcher(newDefault.expression())
                        .results()
                        .anyMatch(word -> VOLATILE.contains(word.group().toLowerCase(Locale.ROOT)));
        if (isVolatile) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "ADD COLUMN with a DEFAULT that differs between rows is not supported for a table with rows")
                    .withHint("Add the column without it, then UPDATE the rows, then ALTER COLUMN SET DEFAULT.");
        }
        if (field.type() instanceof DataType.Interval) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "ADD COLUMN of type interval with a DEFAULT is not supported for a table with rows");
        }
        Field nullable = field.withNullable(true);
        try (Batch value = of(List.of(newDefault), List.of(nullable), 1)) {
            if (!value.column(0).validity().isPresent(0)) {
                return null;
            }
            TextBuffer text = new TextBuffer(32);
            PgText.append(value.column(0), 0, text);
            if (text.toString().length() > MOST_CONSTANT) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "ADD COLUMN with a DEFAULT of more than " + MOST_CONSTANT
                                + " characters is not supported for a table with rows");
            }
            return text.toString();
        }
    }
}
