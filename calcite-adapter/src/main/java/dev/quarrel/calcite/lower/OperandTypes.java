package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.TypeClass;
import dev.quarrel.core.type.DataType;
import java.util.Locale;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/// Finds the common type of two operands, and the opcode that implements an operator for a type.
final class OperandTypes {
    private OperandTypes() {}

    /// The precision and scale of a number whose scale is known.
    ///
    /// @param precision at most 38
    record Number(int precision, int scale) {
        int digits() {
            return precision - scale;
        }

        DataType.Decimal type() {
            return new DataType.Decimal(precision, scale);
        }

        /// The type with more digits after the point, or null when 38 digits do not suffice.
        DataType.Decimal withScale(int newScale) {
            int needed = digits() + newScale;
            // A sum is typed with 38 digits and seldom has them: then overflow is an error of the row.
            return needed > DataType.Decimal.MAX_PRECISION && newScale > scale
                    ? null
                    : new DataType.Decimal(Math.min(needed, DataType.Decimal.MAX_PRECISION), newScale);
        }
    }

    /// An expression's digits, or null if it is no integer and no decimal.
    static Number number(RexNode node) {
        if (node instanceof RexLiteral literal && !literal.isNull()) {
            java.math.BigDecimal value = Literals.decimalOrNull(literal);
            if (value != null && value.scale() >= 0) {
                int precision = Math.max(value.precision(), value.scale() + 1);
                if (precision <= DataType.Decimal.MAX_PRECISION) {
                    return new Number(precision, value.scale());
                }
            }
        }
        return number(RowTypes.of(node.getType()));
    }

    static Number number(DataType type) {
        return switch (type) {
            case DataType.Int16 _ -> new Number(5, 0);
            case DataType.Int32 _ -> new Number(10, 0);
            case DataType.Int64 _ -> new Number(19, 0);
            case DataType.Decimal(int precision, int scale) -> new Number(precision, scale);
            default -> null;
        };
    }

    static boolean isInteger(RexNode node) {
        return switch (RowTypes.of(node.getType())) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> true;
            default -> false;
        };
    }

    /// The type in which two expressions are compared, or null. A literal takes the other side's type where its
    /// value has it.
    static DataType comparable(RexNode left, RexNode right) {
        DataType one = RowTypes.of(left.getType());
        DataType other = RowTypes.of(right.getType());
        if (one.equals(other)) {
            return one;
        }
        if (Literals.fits(right, one)) {
            return one;
        }
        if (Literals.fits(left, other)) {
            return other;
        }
        return comparable(one, other);
    }

    static DataType comparable(DataType one, DataType other) {
        if (one.equals(other)) {
            return one;
        }
        if (isFloat(one) || isFloat(other)) {
            boolean numbers = (isFloat(one) || isExact(one)) && (isFloat(other) || isExact(other));
            return numbers ? DataType.FLOAT64 : null;
        }
        if (isExact(one) && isExact(other)) {
            Number first = number(one);
            Number second = number(other);
            if (first == null || second == null) {
                return DataType.NUMERIC;
            }
            if (!(one instanceof DataType.Decimal) && !(other instanceof DataType.Decimal)) {
                return first.precision() > second.precision() ? one : other;
            }
            int scale = Math.max(first.scale(), second.scale());
            int precision = Math.max(first.digits(), second.digits()) + scale;
            return precision <= DataType.Decimal.MAX_PRECISION
                    ? new DataType.Decimal(precision, scale)
                    : DataType.NUMERIC;
        }
        if (one instanceof DataType.Date && other.equals(DataType.TIMESTAMP)
                || other instanceof DataType.Date && one.equals(DataType.TIMESTAMP)) {
            return DataType.TIMESTAMP;
        }
        return null;
    }

    private static boolean isFloat(DataType type) {
        return type instanceof DataType.Float32 || type instanceof DataType.Float64;
    }

    private static boolean isExact(DataType type) {
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Decimal _, DataType.Numeric _ -> true;
            default -> false;
        };
    }

    static Opcode comparison(SqlKind kind, DataType type) {
        Relation relation =
                switch (kind) {
                    case EQUALS -> Relation.EQ;
                    case NOT_EQUALS -> Relation.NE;
                    case LESS_THAN -> Relation.LT;
                    case LESS_THAN_OR_EQUAL -> Relation.LE;
                    case GREATER_THAN -> Relation.GT;
                    case GREATER_THAN_OR_EQUAL -> Relation.GE;
                    default -> throw new IllegalArgumentException(kind + " compares nothing");
                };
        return Opcode.comparison(relation, TypeClass.of(type));
    }

    static Opcode arithmetic(SqlKind kind, DataType type) {
        return arithmetic(
                switch (kind) {
                    case PLUS -> Arithmetic.ADD;
                    case MINUS -> Arithmetic.SUB;
                    case TIMES -> Arithmetic.MUL;
                    case DIVIDE -> Arithmetic.DIV;
                    case MOD -> Arithmetic.MOD;
                    case MINUS_PREFIX -> Arithmetic.NEG;
                    default -> throw new IllegalArgumentException(kind + " is no arithmetic");
                },
                type);
    }

    static Opcode arithmetic(Arithmetic operation, DataType type) {
        return Opcode.arithmetic(operation, TypeClass.of(type))
                .orElseThrow(() ->
                        new Unlowerable(operation.name().toLowerCase(Locale.ROOT) + " of " + type + " has no opcode"));
    }
}
