package dev.quarrel.core.cpu.text;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.Arrays;

/// The arguments of a function, row by row: a cursor over the rows of a tile for which it is to be computed, or over
/// the entries of a dictionary where the one argument that varies holds codes.
///
/// - Use: `while (in.next()) { … in.text(0) … in.int32(1) … }`; the result belongs into row [#row()] of the result.
/// - Nulls: a strict function sees no row with a NULL; any other asks [#isNull] before it reads an argument.
/// - Memory: a text's bytes are valid until the next `next()`. One thread uses it.
public final class Arguments {
    /// Bytes of arguments between two looks whether the query is still wanted.
    private static final int WORK_BETWEEN_CHECKS = 1 << 22;

    private final Vector[] vectors;
    private final TextReader[] texts;
    private final boolean isStrict;
    private int[] rows;
    private int[] ownRows = new int[0];
    private int[] scratch = new int[0];
    private int count;
    private int next;
    private int row;
    /// The row that arguments other than the varying one are read from.
    private int valueRow;
    /// Those of `texts` that change from row to row: the first `changingCount`.
    private final TextReader[] changing;
    private int changingCount;
    /// Bytes of the texts that do not.
    private long constantBytes;
    private Utf8Column entries;
    private int varying;
    private long work;

    /// @param isStrict whether rows with a NULL among the arguments are left out
    public Arguments(int count, boolean isStrict) {
        this.vectors = new Vector[count];
        this.texts = new TextReader[count];
        this.changing = new TextReader[count];
        this.isStrict = isStrict;
        Arrays.setAll(texts, _ -> new TextReader());
    }

    /// Takes an argument's values in the next tile.
    public void set(int argument, Vector vector) {
        vectors[argument] = vector;
    }

    public Vector vector(int argument) {
        return vectors[argument];
    }

    public int count() {
        return vectors.length;
    }

    /// Starts before the first of `newCount` rows of a tile.
    ///
    /// @param mask the rows among which they are
    public void overRows(Mask mask, int[] newRows, int newCount) {
        entries = null;
        bindTexts(mask, -1);
        start(newRows, newCount);
    }

    /// Prepares for a function that reads the vectors itself.
    public void overVectors(int[] newRows, int newCount) {
        if (ownRows.length < newCount) {
            ownRows = new int[newRows.length];
            scratch = new int[newRows.length];
        }
        System.arraycopy(newRows, 0, ownRows, 0, newCount);
        entries = null;
        start(ownRows, newCount);
    }

    /// The rows that the function is to be computed for, ascending, after [#overVectors]; the function's to overwrite.
    public int[] rows() {
        return rows;
    }

    public int rowCount() {
        return count;
    }

    /// As much room as [#rows] has, of any content.
    public int[] scratch() {
        return scratch;
    }

    /// Prepares for entries of a dictionary that the argument `newVarying` has codes of; every other argument is a
    /// constant.
    public void overEntries(Mask mask, int newVarying, Utf8Column newEntries) {
        entries = newEntries;
        varying = newVarying;
        valueRow = 0;
        bindTexts(mask, newVarying);
    }

    /// Starts before the first of the entries `newRows`.
    public void start(int[] newRows, int newCount) {
        rows = newRows;
        count = newCount;
        next = 0;
    }

    private void bindTexts(Mask mask, int except) {
        changingCount = 0;
        constantBytes = 0;
        for (int argument = 0; argument < vectors.length; argument++) {
            if (argument == except || !(vectors[argument] instanceof TextVector vector)) {
                continue;
            }
            texts[argument].bind(vector, mask);
            if (!vector.isConstant()) {
                changing[changingCount++] = texts[argument];
            } else if (vector.isPresent(0)) {
                constantBytes += texts[argument].length;
            }
        }
    }

    /// Goes to the next row; false after the last one.
    public boolean next() {
        if (next == count) {
            return false;
        }
        row = rows[next++];
        if (entries != null) {
            texts[varying].readEntry(entries, row);
            work += texts[varying].length;
        } else {
            valueRow = row;
            if (changingCount == 0 && constantBytes == 0) {
                return true;
            }
            readTexts();
        }
        if (work > WORK_BETWEEN_CHECKS) {
            work = 0;
            Cancellation.checkCurrent();
        }
        return true;
    }

    private void readTexts() {
        long bytes = constantBytes;
        for (int index = 0; index < changingCount; index++) {
            TextReader text = changing[index];
            if (isStrict || text.isPresent(row)) {
                text.read(row);
                bytes += text.length;
            }
        }
        work += bytes;
    }

    /// Rows that `next` has gone to, without the current one.
    public int done() {
        return next - 1;
    }

    /// The row, or entry, that the result of the current row belongs to.
    public int row() {
        return row;
    }

    public boolean isNull(int argument) {
        return (entries == null || argument != varying) && !vectors[argument].isPresent(valueRow);
    }

    /// A text, or bytes.
    public TextReader text(int argument) {
        return texts[argument];
    }

    public boolean bool(int argument) {
        return ((BoolVector) vectors[argument]).get(valueRow);
    }

    /// An int16, int32 or date.
    public int int32(int argument) {
        return ((IntVector) vectors[argument]).values()[valueRow];
    }

    /// An int64, time or timestamp.
    public long int64(int argument) {
        return ((LongVector) vectors[argument]).values()[valueRow];
    }

    public float float32(int argument) {
        return ((FloatVector) vectors[argument]).values()[valueRow];
    }

    public double float64(int argument) {
        return ((DoubleVector) vectors[argument]).values()[valueRow];
    }

    public Interval interval(int argument) {
        DecimalVector intervals = (DecimalVector) vectors[argument];
        return Interval.of(intervals.low()[valueRow], intervals.high()[valueRow]);
    }

    /// A decimal, or a numeric that is a number. Allocates.
    ///
    /// - Errors: 0A000 for NaN and the infinities, of which a function has to ask by [#value].
    public BigDecimal numeric(int argument) {
        if (value(argument) instanceof BigDecimal number) {
            return number;
        }
        throw noNumber();
    }

    /// The error of a function of numerics that takes numbers alone.
    public static QueryException noNumber() {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED, "not supported: NaN or an infinite numeric in this function");
    }

    /// Any value in canonical form, null for NULL. Allocates.
    public Object value(int argument) {
        if (entries != null && argument == varying) {
            return texts[argument].value(vectors[argument].type());
        }
        return vectors[argument].value(valueRow);
    }
}
