package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.collate.PatternPreface;
import dev.quarrel.core.collate.SortKeys;
import dev.quarrel.core.function.CollationRows;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Decides which collation an expression has, and writes what it means: texts that ICU orders are compared and
/// sorted by keys ([CollationRows#KEY]), so that whatever runs the plan orders bytes alone.
///
/// - Source: PostgreSQL's `parse_collate.c`.
public final class Collations {
    private static final String COMPARISON = "string comparison";
    private static final String ICU_SUFFIX = "-x-icu";

    private final StatementText statement;
    private final RexMaker maker;
    private final Collation standard;
    private final Function<String, Collation> declared;
    private boolean usesStandard;
    private final Set<Collation> inexact = new LinkedHashSet<>();

    /// @param standard the database's default
    /// @param declared finds a collation that a column of the dataset has; null where none does
    public Collations(
            StatementText statement, RexMaker maker, Collation standard, Function<String, Collation> declared) {
        this.statement = statement;
        this.maker = maker;
        this.standard = standard;
        this.declared = declared;
    }

    /// The collation that COLLATE names.
    ///
    /// - Errors: 42704
    public Collation named(List<String> names, int at) {
        String name = names.getLast();
        Collation known = Collation.ofEvery(name);
        if (known == null && name.endsWith(ICU_SUFFIX)) {
            String tag = name.substring(0, name.length() - ICU_SUFFIX.length());
            known = SortKeys.hasLocale(tag) ? new Collation(name, Collation.Provider.ICU, tag, null, true, null) : null;
        }
        if (known == null) {
            known = declared.apply(name);
        }
        if (known == null) {
            throw statement.error(
                    SqlState.UNDEFINED_OBJECT,
                    at,
                    "collation \"" + String.join(".", names) + "\" for encoding \"UTF8\" does not exist");
        }
        return known;
    }

    /// The collation of a table's column.
    ///
    /// @param collation what its file says; null for nothing
    public Collating ofColumn(SqlType type, Collation collation) {
        Collating usual = Collating.of(type);
        if (usual != Collating.STANDARD) {
            return usual;
        }
        Collation said = Collation.ofColumn(collation, standard);
        return said.isDefault() ? Collating.STANDARD : new Collating.Known(said, false, -1);
    }

    /// The collation that operands agree on.
    ///
    /// - Errors: 42P21
    public Collating of(List<? extends Expr> operands) {
        Collating merged = Collating.NONE;
        for (Expr operand : operands) {
            merged = merged(merged, of(operand));
        }
        return merged;
    }

    /// The collation of an expression, with its place.
    public Collating of(Expr expr) {
        Collating own =
                switch (expr) {
                    case Expr.Value value -> value.collating();
                    case Expr.Text text -> text.collating();
                    case Expr.Null _, Expr.Parameter _ -> Collating.STANDARD;
                    case Expr.Array(List<Expr> items, SqlType _, int _) -> of(items);
                    case Expr.Row _ -> Collating.NONE;
                };
        return own instanceof Collating.Known(Collation collation, boolean isExplicit, int at) && at < 0
                ? new Collating.Known(collation, isExplicit, expr.at())
                : own;
    }

    private Collating merged(Collating one, Collating two) {
        if (rank(one) != rank(two)) {
            return rank(one) > rank(two) ? one : two;
        }
        if (!(one instanceof Collating.Known first) || !(two instanceof Collating.Known second)) {
            return one;
        }
        if (isSame(first.collation(), second.collation())) {
            return one;
        }
        if (first.isExplicit()) {
            throw statement.error(
                    SqlState.COLLATION_MISMATCH,
                    second.at(),
                    "collation mismatch between explicit collations \""
                            + first.collation().name() + "\" and \""
                            + second.collation().name() + "\"");
        }
        if (first.collation().isDefault()) {
            return two;
        }
        return second.collation().isDefault()
                ? one
                : new Collating.Conflict(first.collation(), second.collation(), second.at());
    }

    private static boolean isSame(Collation one, Collation two) {
        return one.name().equals(two.name()) && (one.isDefault() || one.isSameOrder(two));
    }

    private static int rank(Collating collating) {
        return switch (collating) {
            case Collating.None _ -> 0;
            case Collating.Lost _ -> 1;
            case Collating.Known known -> known.isExplicit() ? 4 : 2;
            case Collating.Conflict _ -> 3;
        };
    }

    /// The value of a call with the collation that its operands give it.
    public Expr.Value collated(Expr.Value value, List<? extends Expr> operands) {
        if (Collating.of(value.type()) == Collating.NONE) {
            return value;
        }
        Collating collating = of(operands);
        return collating instanceof Collating.None || collating instanceof Collating.Lost
                ? value
                : value.with(collating);
    }

    /// The collation by which a function or operator goes; "C" where its operands have none.
    ///
    /// - Errors: 42P22, with PostgreSQL's words for `what`: `string comparison`
    public Collation deciding(List<? extends Expr> operands, String what) {
        return switch (of(operands)) {
            case Collating.None _ -> Collation.C;
            case Collating.Known known -> effective(known.collation());
            case Collating.Conflict _, Collating.Lost _ -> throw indeterminate(what);
        };
    }

    private static QueryException indeterminate(String what) {
        return new QueryException(
                        SqlState.INDETERMINATE_COLLATION, "could not determine which collation to use for " + what)
                .withHint("Use the COLLATE clause to set the collation explicitly.");
    }

    private Collation effective(Collation collation) {
        usesStandard |= collation.isDefault();
        return collation.isDefault() ? standard : collation;
    }

    /// Whether equal is what has the same bytes.
    ///
    /// - Errors: 0A000 where it is not, 42P22
    public void requireEquality(List<? extends Expr> operands, int at) {
        if (operands.stream().anyMatch(each -> Collating.of(each.type()) != Collating.NONE)) {
            requireDeterministic(deciding(operands, COMPARISON), at);
        }
    }

    /// Whether values can be told apart as keys of groups, or as rows that are alike.
    ///
    /// - Errors: 42P21 for one of two collations, 0A000
    public void requireKeys(List<Expr.Value> keys) {
        for (Expr.Value key : keys) {
            switch (of(key)) {
                case Collating.None _ -> {}
                case Collating.Lost _ -> throw indeterminate(COMPARISON);
                case Collating.Known known -> requireDeterministic(effective(known.collation()), key.at());
                case Collating.Conflict conflict -> throw mismatch(conflict);
            }
        }
    }

    /// What may compare texts in whatever way.
    ///
    /// - Errors: 0A000 where texts of other bytes may be equal
    public void requireDeterministic(List<? extends Expr> operands, int at) {
        if (of(operands) instanceof Collating.Known known) {
            requireDeterministic(known.collation().isDefault() ? standard : known.collation(), at);
        }
    }

    private void requireDeterministic(Collation collation, int at) {
        if (!collation.isDeterministic()) {
            throw statement.unsupported(
                    at, "comparing texts by the nondeterministic collation \"" + collation.name() + "\"");
        }
    }

    /// The collation that orders texts, or null where bytes do.
    private Collation ordering(Collation collation, int at) {
        requireDeterministic(collation, at);
        if (collation.isOrderUnknown()
                || collation.version() != null
                        && !collation.isByBytes()
                        && !collation.version().equals(SortKeys.version(collation))) {
            inexact.add(collation);
        }
        return collation.isByBytes() ? null : collation;
    }

    /// What orders texts as their comparison does; null where they themselves do.
    public Collation comparing(List<? extends Expr> operands, int at) {
        return ordering(deciding(operands, COMPARISON), at);
    }

    /// What says that arrays have no order by a collation.
    public QueryException noOrderOfArrays(Collation collation, int at) {
        return statement.unsupported(at, "the order of arrays by collation \"" + collation.name() + "\"");
    }

    /// - Errors: 0A000 where a collation orders the texts
    ///
    /// @param what compares them
    public void requireByBytes(List<? extends Expr> operands, int at, String what) {
        Collation collation = comparing(operands, at);
        if (collation != null) {
            throw statement.unsupported(at, what + " by collation \"" + collation.name() + "\"");
        }
    }

    /// - Errors: 0A000 where characters beyond ASCII have classes and cases
    ///
    /// @param what looks at them
    public void requireAscii(List<? extends Expr> operands, int at, String what) {
        Collation collation = deciding(operands, "regular expression");
        if (!collation.isCaseOfAscii()) {
            throw statement.unsupported(at, what + " by collation \"" + collation.name() + "\"");
        }
    }

    /// The NOT NULL type of keys.
    public RelDataType keyType() {
        return maker.rel(SqlType.BYTEA);
    }

    /// What a value is sorted by.
    ///
    /// - Errors: 42P21 for a value of two collations
    public RexNode sortKey(Expr.Value value) {
        Collation collation = sorting(value);
        return collation == null ? value.rex() : key(value.rex(), collation);
    }

    /// The collation whose keys a value is sorted by, or null where it is sorted by itself.
    public Collation sorting(Expr.Value value) {
        return switch (of(value)) {
            case Collating.None _ -> null;
            case Collating.Known known -> {
                Collation collation = ordering(effective(known.collation()), value.at());
                if (collation != null && value.type().isArray()) {
                    throw noOrderOfArrays(collation, value.at());
                }
                yield collation;
            }
            case Collating.Conflict conflict -> throw mismatch(conflict);
            case Collating.Lost _ -> throw indeterminate(COMPARISON);
        };
    }

    /// Notes by which collations composites are ordered.
    public void orderRows(RelDataType type) {
        OtherType rows = SqlTypes.other(type);
        if (rows != null && SqlTypes.isKeyedRow(type)) {
            rows.fields().forEach(this::orderField);
        }
    }

    private void orderField(Field field) {
        if (field.collation() != null) {
            ordering(field.collation(), -1);
        }
        if (field.other() != null) {
            field.other().fields().forEach(this::orderField);
        }
    }

    /// - Errors: 42P21 always
    private QueryException mismatch(Collating.Conflict conflict) {
        return statement
                .error(
                        SqlState.COLLATION_MISMATCH,
                        conflict.at(),
                        "collation mismatch between implicit collations \""
                                + conflict.one().name() + "\" and \""
                                + conflict.other().name() + "\"")
                .withHint("You can choose the collation by applying the COLLATE clause to one or both expressions.");
    }

    /// Bytes that order as the collation orders the text.
    public RexNode key(RexNode text, Collation collation) {
        RexNode plain = maker.cast(
                maker.nullable(maker.rel(SqlType.TEXT), text.getType().isNullable()), text);
        return CatalogFunction.call(maker, CollationRows.KEY, List.of(plain, spec(collation)));
    }

    /// The text that a key was made of.
    public RexNode text(RexNode key, RelDataType type) {
        RexNode text = CatalogFunction.call(maker, CollationRows.VALUE, List.of(key));
        return maker.cast(maker.nullable(type, text.getType().isNullable()), text);
    }

    /// Upper or lower case by the collation; null where it is ASCII's, as opcodes have it.
    ///
    /// @param row one of [CollationRows]
    public RexNode cased(FunctionRow row, RexNode text, List<? extends Expr> operands, String what) {
        Collation collation = deciding(operands, what);
        return collation.isCaseOfAscii() ? null : CatalogFunction.call(maker, row, List.of(text, spec(collation)));
    }

    private RexNode spec(Collation collation) {
        return maker.string(collation.spec(), maker.rel(SqlType.TEXT));
    }

    /// A regular expression with what it needs of the collation by which it is matched.
    ///
    /// @param operands the text, and the pattern
    public RexNode pattern(List<? extends Expr> operands, RexNode pattern, int at) {
        Collation collation = deciding(operands, "regular expression");
        requireDeterministic(collation, at);
        if (collation.isCaseOfAscii()) {
            return pattern;
        }
        String preface = PatternPreface.of(collation.spec());
        RelDataType text = maker.rel(SqlType.TEXT);
        return pattern instanceof RexLiteral literal && !literal.isNull()
                ? maker.string(preface + literal.getValueAs(String.class), text)
                : maker.call(SqlStdOperatorTable.CONCAT, text, maker.string(preface, text), pattern);
    }

    /// Whether two expressions of one value have one collation, said in the same way.
    public boolean areAlike(Expr.Value one, Expr.Value two) {
        return one.collating() instanceof Collating.Known first && two.collating() instanceof Collating.Known second
                ? first.isExplicit() == second.isExplicit() && isSame(first.collation(), second.collation())
                : one.collating().getClass() == two.collating().getClass();
    }

    /// Adds what a part of the statement goes by that was analysed by itself.
    public void addUse(Collations part) {
        usesStandard |= part.usesStandard;
        inexact.addAll(part.inexact);
    }

    /// Whether the database's default was asked for.
    public boolean usesStandard() {
        return usesStandard;
    }

    /// Collations by whose order something was compared or sorted that PostgreSQL may order otherwise.
    public List<Collation> inexact() {
        return List.copyOf(inexact);
    }
}
