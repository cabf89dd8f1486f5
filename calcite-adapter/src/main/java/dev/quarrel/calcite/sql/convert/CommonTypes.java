package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.function.CommonType;
import dev.quarrel.calcite.sql.type.PostgresRelType;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;

/// Finds the common type of several expressions any of which may be the result: in CASE, UNION, VALUES and the
/// like.
///
/// - Source: PostgreSQL's `parse_coerce.c` (select_common_type, coerce_to_common_type).
public final class CommonTypes {
    private final StatementText statement;
    private final RexMaker maker;
    private final Conversions conversions;

    public CommonTypes(StatementText statement, RexMaker maker, Conversions conversions) {
        this.statement = statement;
        this.maker = maker;
        this.conversions = conversions;
    }

    /// - Errors: 42804 `what types a and b cannot be matched`.
    ///
    /// @param what the construct as the message names it
    public SqlType of(List<? extends Expr> exprs, String what) {
        SqlType common = find(exprs);
        if (common != null) {
            return common;
        }
        SqlType first = null;
        for (Expr expr : exprs) {
            SqlType type = expr.type();
            if (type == SqlType.UNKNOWN) {
                continue;
            }
            if (first == null) {
                first = type;
            } else if (type.category() != first.category()) {
                throw statement.error(
                        SqlState.DATATYPE_MISMATCH,
                        expr.at(),
                        what + " types " + first.displayName() + " and " + type.displayName() + " cannot be matched");
            }
        }
        throw new IllegalStateException("no common type, and no two that differ");
    }

    /// As [#of] has it, but null where there is none.
    public static SqlType find(List<? extends Expr> exprs) {
        return CommonType.of(exprs.stream().map(Expr::type).toList());
    }

    /// Converts all to `type` and to one RelDataType, so that any of them may stand for the result.
    ///
    /// - Errors: 42846 `what could not convert type a to b`.
    public List<Expr.Value> unified(List<? extends Expr> exprs, SqlType type, String what) {
        List<Expr.Value> values = new ArrayList<>();
        OtherType enums = exprs.stream()
                .map(OtherTypes::enumOf)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        for (Expr expr : exprs) {
            if (type == SqlType.RECORD) {
                throw statement.unsupported(expr.at(), "a row value here");
            }
            if (!expr.type().convertsTo(type, SqlType.Context.IMPLICIT)) {
                throw statement.error(
                        SqlState.CANNOT_COERCE,
                        expr.at(),
                        what + " could not convert type " + expr.type().displayName() + " to " + type.displayName());
            }
            values.add(enums == null || type != SqlType.OTHER ? conversions.implicit(expr, type) : label(expr, enums));
        }
        return alike(values, type);
    }

    /// The same for values that are each assigned to a column: the caller has seen that they can be.
    public List<Expr.Value> assigned(List<? extends Expr> exprs, SqlType type) {
        return alike(
                exprs.stream().map(expr -> conversions.implicit(expr, type)).toList(), type);
    }

    /// What has no type yet is of the enum that the others are of.
    private Expr.Value label(Expr expr, OtherType type) {
        return expr.type() == SqlType.UNKNOWN
                ? OtherTypes.cast(maker, conversions, expr, type)
                : conversions.implicit(expr, SqlType.OTHER);
    }

    /// Gives values of one SqlType one RelDataType (but for nullability).
    private List<Expr.Value> alike(List<Expr.Value> values, SqlType type) {
        int typmod = values.get(0).typmod();
        for (Expr.Value value : values) {
            if (value.typmod() != typmod) {
                typmod = -1;
            }
        }
        RelDataType target =
                switch (type) {
                    case NUMERIC -> commonNumeric(values);
                    case OTHER -> commonOther(values);
                    default -> maker.rel(type, typmod);
                };
        List<Expr.Value> result = new ArrayList<>();
        for (Expr.Value value : values) {
            RexNode rex = value.rex();
            if (RexLiteral.isNullLiteral(rex)) {
                rex = maker.nullOf(target);
            } else {
                rex = retyped(rex, target, type);
            }
            result.add(new Expr.Value(rex, type, typmod, value.at(), value.collating()));
        }
        return result;
    }

    /// - Errors: 42804 where two types have only in common that their texts are held.
    private RelDataType commonOther(List<Expr.Value> values) {
        RelDataType common = null;
        for (Expr.Value value : values) {
            if (RexLiteral.isNullLiteral(value.rex())) {
                continue;
            }
            RelDataType type = maker.nullable(value.rex().getType(), false);
            if (common != null && !common.equals(type) && SqlTypes.other(common).isSame(SqlTypes.other(type))) {
                // Files of two tables need not say the same of a composite.
                common =
                        SqlTypes.relType(maker.factory(), SqlTypes.other(common).withFields(List.of()));
                continue;
            }
            if (common != null && !common.equals(type)) {
                throw statement.error(
                        SqlState.DATATYPE_MISMATCH,
                        value.at(),
                        "types " + SqlTypes.other(common) + " and " + SqlTypes.other(type) + " cannot be matched");
            }
            common = type;
        }
        return common == null ? maker.rel(SqlType.OTHER) : common;
    }

    private RexNode retyped(RexNode rex, RelDataType target, SqlType type) {
        if (type.isText() && rex instanceof RexLiteral literal) {
            String text = literal.getValueAs(String.class);
            return type == SqlType.BPCHAR
                            && target.getSqlTypeName() == SqlTypeName.CHAR
                            && !(target instanceof PostgresRelType)
                    ? maker.cast(target, rex)
                    : maker.string(text, target);
        }
        return maker.cast(target, rex);
    }

    /// A value's scale can be known only if it is the same in all branches.
    private RelDataType commonNumeric(List<Expr.Value> values) {
        int precision = 0;
        int scale = -1;
        for (Expr.Value value : values) {
            RelDataType type = value.rex().getType();
            if (RexLiteral.isNullLiteral(value.rex())) {
                continue;
            }
            if (SqlTypes.isNumeric(type) || scale >= 0 && type.getScale() != scale) {
                return SqlTypes.numeric(maker.factory());
            }
            scale = type.getScale();
            precision = Math.max(precision, type.getPrecision());
        }
        return scale < 0 ? SqlTypes.numeric(maker.factory()) : maker.decimal(precision, scale);
    }
}
