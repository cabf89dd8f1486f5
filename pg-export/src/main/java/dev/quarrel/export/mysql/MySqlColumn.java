package dev.quarrel.export.mysql;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.PgType.Declared;
import dev.quarrel.core.type.DataType;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportColumn.Layout;

/// One column of a MySQL table or query: as which type it is exported, and how the server sends its values.
///
/// Of tables, dates and times are sent as numbers, made by the server: what its calendar takes for a date and
/// ours does not (`0000-00-00`, `2024-02-00`) comes as [#NO_DATE] or [#NO_MOMENT]. Of queries all comes as it is.
///
/// @param declared the type in PostgreSQL's terms
/// @param form how a value is read
/// @param selected what the statement selects
/// @param nullable whether the server may send NULL
/// @param bits how many a bit string has; else 0
record MySqlColumn(
        String name,
        Declared declared,
        DataType dataType,
        Form form,
        String selected,
        boolean nullable,
        int bits,
        Layout layout) {
    static final int NO_DATE = Integer.MIN_VALUE + 1;
    static final long NO_MOMENT = Long.MIN_VALUE + 1;

    enum Form {
        INT16,
        INT32,
        INT64,
        /// An int64 that is the decimal without its point.
        SMALL_DECIMAL,
        DECIMAL,
        /// A decimal of more digits than a column holds: each value is looked at.
        WIDE_DECIMAL,
        FLOAT32,
        FLOAT64,
        /// A float that is rounded to a half float.
        HALF,
        DATE,
        MOMENT,
        SPAN,
        UUID,
        TEXT,
        BYTES,
        // What follows comes as the server has it.
        SENT_DATE,
        SENT_MOMENT,
        SENT_SPAN,
        SENT_BITS,
        /// Four bytes of the reference system before the WKB.
        SENT_SHAPE
    }

    static String quoted(String identifier) {
        return '`' + identifier.replace("`", "``") + '`';
    }

    MySqlColumn withLayout(Layout newLayout) {
        return new MySqlColumn(name, declared, dataType, form, selected, nullable, bits, newLayout);
    }

    boolean isFloat() {
        return form == Form.FLOAT32 || form == Form.FLOAT64;
    }

    /// A float as half floats, which are real once they are read.
    MySqlColumn asHalf() {
        Declared real = new Declared(PgType.FLOAT4, PgType.NO_TYPMOD);
        Layout half = new Layout(null, true, layout.dictionary(), layout.isSummarized());
        return new MySqlColumn(name, real, real.dataType(), Form.HALF, selected, nullable, bits, half);
    }

    /// The column that takes the values of both, where one part of a query has this one and another part the
    /// other: integers and decimals widen, and so do texts.
    ///
    /// @return null where there is none
    MySqlColumn with(MySqlColumn other) {
        if (equals(other)) {
            return this;
        }
        if (!name.equals(other.name)) {
            return null;
        }
        if (isInteger() && other.isInteger()) {
            return form.compareTo(other.form) >= 0 ? this : other;
        }
        if (form == Form.TEXT && other.form == Form.TEXT && isText() && other.isText()) {
            // One of any length has no modifier.
            return declared.typmod() < 0 || other.declared.typmod() >= 0 && declared.typmod() >= other.declared.typmod()
                    ? this
                    : other;
        }
        if (form == Form.DECIMAL
                && other.form == Form.DECIMAL
                && dataType instanceof DataType.Decimal(int precision, int scale)
                && other.dataType instanceof DataType.Decimal(int otherPrecision, int otherScale)) {
            int widest = Math.max(scale, otherScale);
            int digits = Math.max(precision - scale, otherPrecision - otherScale) + widest;
            if (digits <= DataType.Decimal.MAX_PRECISION) {
                Declared wide = new Declared(PgType.NUMERIC, PgType.numericTypmod(digits, widest));
                return new MySqlColumn(name, wide, wide.dataType(), form, selected, nullable, bits, layout);
            }
        }
        return null;
    }

    private boolean isInteger() {
        return form == Form.INT16 || form == Form.INT32 || form == Form.INT64;
    }

    private boolean isText() {
        return declared.type() == PgType.VARCHAR || declared.type() == PgType.TEXT;
    }

    /// The column for who writes it.
    ///
    /// @param distinctEstimate of its values, or -1
    ExportColumn exported(Unfit unfit, long distinctEstimate) {
        boolean mayTurnNull =
                switch (form) {
                    // Whatever is asked for, so that files of several runs are of one kind.
                    case DATE, MOMENT, SENT_DATE, SENT_MOMENT -> true;
                    case DECIMAL, WIDE_DECIMAL, HALF -> unfit.numeric() == Unfit.Overflow.NULL;
                    default -> false;
                };
        return new ExportColumn(
                name,
                selected,
                declared,
                dataType,
                null,
                nullable,
                nullable || mayTurnNull,
                layout,
                distinctEstimate,
                null);
    }
}
