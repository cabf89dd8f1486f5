package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// One register's values over a tile: arrays by row number, sealed by physical form.
///
/// - Shape: arrays have room for the tile's rows, rounded up to 64. Values are there for the rows under which the
///   vector was
///   computed or loaded; elsewhere they are undefined, validity included.
/// - Nulls: `validity` holds a bit a row, 1 = present; null means that every row is present. A NULL row's value is
///   undefined.
/// - Memory: owned by whoever made it (a program, an input) and overwritten with the next tile. One thread uses it.
public abstract sealed class Vector
        permits BoolVector, IntVector, LongVector, FloatVector, DoubleVector, DecimalVector, TextVector {
    private final DataType type;
    private final int capacity;
    private final long[] ownValidity;
    private long[] validity;
    private boolean constant;

    Vector(DataType type, int tileRows) {
        this.type = type;
        int words = Math.max(1, Bits.words(tileRows));
        this.capacity = words * 64;
        this.ownValidity = new long[words];
    }

    /// An empty vector of the physical form of `type`.
    public static Vector of(DataType type, int tileRows) {
        return switch (type) {
            case DataType.Bool _ -> new BoolVector(tileRows);
            case DataType.Int16 _, DataType.Int32 _, DataType.Date _ -> new IntVector(type, tileRows);
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> new LongVector(type, tileRows);
            case DataType.Float32 _ -> new FloatVector(tileRows);
            case DataType.Float64 _ -> new DoubleVector(tileRows);
            case DataType.Decimal _, DataType.Numeric _, DataType.Uuid _, DataType.Interval _ ->
                new DecimalVector(type, tileRows);
            case DataType.Utf8 _, DataType.Binary _ -> new TextVector(type, tileRows);
        };
    }

    /// A vector that holds one value in every row.
    public static Vector constant(Literal literal, int tileRows) {
        Vector vector = of(literal.type(), tileRows);
        vector.constant = true;
        if (literal.isNull()) {
            Bits.fill(vector.writableValidity(), false);
        } else {
            vector.fill(literal.value());
        }
        return vector;
    }

    public final DataType type() {
        return type;
    }

    /// Rows there is room for, a multiple of 64.
    public final int capacity() {
        return capacity;
    }

    /// Words with a bit a row, 1 = present, or null when all rows are present. Read only.
    public final long[] validity() {
        return validity;
    }

    public final boolean isPresent(int row) {
        return validity == null || Bits.get(validity, row);
    }

    /// Whether every row holds the same value: a literal or parameter.
    public final boolean isConstant() {
        return constant;
    }

    /// From now on every row is present.
    public final void setAllPresent() {
        validity = null;
    }

    /// Makes one row NULL, beside those that are; whatever lies there is undefined then.
    public final void setAbsent(int row) {
        if (validity == null) {
            Arrays.fill(ownValidity, -1L);
            validity = ownValidity;
        }
        Bits.set(ownValidity, row, false);
    }

    /// Makes rows of one word NULL, beside those that are.
    ///
    /// @param rows a bit each
    public final void setAbsent(int word, long rows) {
        if (rows == 0) {
            return;
        }
        if (validity == null) {
            Arrays.fill(ownValidity, -1L);
            validity = ownValidity;
        }
        ownValidity[word] &= ~rows;
    }

    /// The vector's own validity words, in force from now on, for the caller to fill (`capacity() / 64` words).
    public final long[] writableValidity() {
        validity = ownValidity;
        return ownValidity;
    }

    /// Takes a copy of another vector's validity.
    public final void copyValidity(Vector source, int words) {
        if (source.validity == null) {
            validity = null;
        } else {
            System.arraycopy(source.validity, 0, ownValidity, 0, words);
            validity = ownValidity;
        }
    }

    /// From now on a row is present only where the other's is too.
    public final void keepPresent(Vector other, int words) {
        if (other.validity == null) {
            return;
        }
        if (validity == null) {
            copyValidity(other, words);
            return;
        }
        for (int word = 0; word < words; word++) {
            ownValidity[word] &= other.validity[word];
        }
    }

    /// Present where both are.
    public final void intersectValidity(Vector one, Vector other, int words) {
        if (one.validity == null) {
            copyValidity(other, words);
        } else if (other.validity == null) {
            copyValidity(one, words);
        } else {
            for (int word = 0; word < words; word++) {
                ownValidity[word] = one.validity[word] & other.validity[word];
            }
            validity = ownValidity;
        }
    }

    /// Row i of this vector becomes row `rows[i]` of `source`, for i below `count`. A negative `rows[i]` makes a
    /// NULL.
    ///
    /// - Memory: text is not copied when all rows come from one buffer; it stays readable as long as
    ///   the source's does.
    ///
    /// @param source another vector, of the same type
    public final void gather(Vector source, int[] rows, int count) {
        constant = false;
        gatherValidity(source, rows, count);
        gatherValues(source, rows, count);
    }

    /// Row i of this vector becomes row `rows[i]` of `source`, for the selected rows i; the others are undefined after.
    public final void gather(Vector source, int[] rows, Mask selected) {
        constant = false;
        if (source.validity == null) {
            validity = null;
        } else {
            int[] indexes = selected.indexes();
            for (int index = 0; index < selected.count(); index++) {
                int row = indexes[index];
                Bits.set(ownValidity, row, Bits.get(source.validity, rows[row]));
            }
            validity = ownValidity;
        }
        gatherSelected(source, rows, selected);
    }

    private void gatherValidity(Vector source, int[] rows, int count) {
        int anyAbsent = 0;
        for (int row = 0; row < count; row++) {
            anyAbsent |= rows[row];
        }
        if (source.validity == null && anyAbsent >= 0) {
            validity = null;
            return;
        }
        long[] from = source.validity;
        for (int base = 0; base < count; base += 64) {
            long word = 0;
            int end = Math.min(64, count - base);
            for (int bit = 0; bit < end; bit++) {
                int row = rows[base + bit];
                if (row >= 0 && (from == null || Bits.get(from, row))) {
                    word |= 1L << bit;
                }
            }
            ownValidity[base >>> 6] = word;
        }
        validity = ownValidity;
    }

    /// Copies values by row; entries of negative rows are left as they are.
    abstract void gatherValues(Vector source, int[] rows, int count);

    /// Copies values of the selected rows (validity is the caller's).
    public abstract void copyValues(Vector source, Mask rows);

    /// Row r becomes row `codes[r]` of `source`, for the selected rows that are present here (validity is the
    /// caller's).
    public abstract void gatherSelected(Vector source, int[] codes, Mask rows);

    /// Puts a present literal's canonical value into every row.
    abstract void fill(Object value);

    /// The value of one row as a literal's canonical object, or null for NULL. Allocates: for constants and tests.
    public final Object value(int row) {
        return isPresent(row) ? presentValue(row) : null;
    }

    abstract Object presentValue(int row);
}
