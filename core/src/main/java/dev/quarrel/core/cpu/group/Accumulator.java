package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// The states of one aggregate, one per group, in arrays indexed by the group's number.
///
/// - Memory: reserved before arrays grow. One thread uses it.
public abstract sealed class Accumulator
        permits CountAccumulator,
                LongSum,
                WideSum,
                NumericSum,
                FloatSum,
                IntervalSum,
                Average,
                LongExtreme,
                NumberExtreme,
                TextExtreme,
                BoolAccumulator,
                BitAccumulator,
                Variance,
                PairMoments,
                HllAccumulator,
                GatheredRows,
                SingleValue,
                FirstValue,
                TimedValue,
                LocalStates {
    private static final int FIRST_CAPACITY = 16;
    private static final int[] NO_GROUPS = {};

    final Reservation reservation;
    private int capacity;
    private int[] sameGroup = NO_GROUPS; // one group all over

    Accumulator(Reservation reservation) {
        this.reservation = reservation;
    }

    /// @param argument null for COUNT_STAR
    public static Accumulator of(AggregateCall call, DataType argument, Reservation reservation) {
        return switch (call.kind()) {
            case COUNT_STAR, COUNT -> new CountAccumulator(reservation);
            case SUM -> sum(argument, reservation);
            case AVG -> new Average(sum(argument, reservation), argument, reservation);
            case MIN, MAX -> {
                boolean isMax = call.kind() == AggregateKind.MAX;
                yield switch (argument) {
                    case DataType.Decimal _, DataType.Numeric _, DataType.Uuid _, DataType.Interval _ ->
                        new NumberExtreme(argument, isMax, reservation);
                    case DataType.Utf8 _, DataType.Binary _ -> new TextExtreme(argument, isMax, reservation);
                    default -> new LongExtreme(argument, isMax, reservation);
                };
            }
            case BOOL_AND, BOOL_OR -> new BoolAccumulator(call.kind() == AggregateKind.BOOL_OR, reservation);
            case BIT_AND, BIT_OR, BIT_XOR -> new BitAccumulator(call.kind(), argument, reservation);
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP ->
                argument instanceof DataType.Float32 || argument instanceof DataType.Float64
                        ? new FloatVariance(call.kind(), argument, reservation)
                        : new ExactVariance(call.kind(), argument, reservation);
            case COVAR_POP,
                    COVAR_SAMP,
                    CORR,
                    REGR_COUNT,
                    REGR_AVGX,
                    REGR_AVGY,
                    REGR_SXX,
                    REGR_SYY,
                    REGR_SXY,
                    REGR_SLOPE,
                    REGR_INTERCEPT,
                    REGR_R2 -> new PairMoments(call.kind(), reservation);
            case HLL_COUNT, HLL_SKETCH, HLL_COMBINE, HLL_MERGE -> new HllAccumulator(call.kind(), reservation);
            case STRING_AGG,
                    ARRAY_AGG,
                    ARRAYS_AGG,
                    PERCENTILE_CONT,
                    PERCENTILE_DISC,
                    PERCENTILES_CONT,
                    PERCENTILES_DISC,
                    MODE -> throw new IllegalArgumentException(call.kind() + " needs the types of all its outputs");
            case ANY_VALUE -> new FirstValue(argument, reservation);
            case FIRST, LAST -> new TimedValue(argument, call.kind() == AggregateKind.LAST, reservation);
            case SINGLE_VALUE -> new SingleValue(argument, reservation);
            case LOCAL -> new LocalStates(call.local(), reservation);
        };
    }

    static Accumulator sum(DataType argument, Reservation reservation) {
        return switch (argument) {
            case DataType.Int16 _, DataType.Int32 _ -> new LongSum(reservation);
            case DataType.Int64 _ -> new WideSum(argument, reservation);
            case DataType.Decimal _ -> new WideSum(argument, reservation);
            case DataType.Numeric _ -> new NumericSum(reservation);
            case DataType.Float32 _, DataType.Float64 _ -> new FloatSum(argument, reservation);
            case DataType.Interval _ -> new IntervalSum(reservation);
            case DataType.Bool _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _,
                    DataType.Uuid _,
                    DataType.Utf8 _,
                    DataType.Binary _ -> throw new IllegalArgumentException("sum of " + argument);
        };
    }

    /// Bytes a group.
    abstract int groupBytes();

    /// Grows the arrays to exactly this many groups; new ones are empty.
    abstract void resize(int groups);

    public final void ensure(int groups) {
        if (groups > capacity) {
            int larger =
                    (int) Math.min(Integer.MAX_VALUE - 16, Math.max(FIRST_CAPACITY, Math.max(groups, capacity * 2L)));
            reservation.grow((larger - (long) capacity) * groupBytes());
            resize(larger);
            capacity = larger;
        }
    }

    /// Whether NULL arguments are left out before `add`.
    boolean skipsNulls() {
        return true;
    }

    /// Whether rows are left out before `add` where an argument after the first is NULL.
    boolean skipsFurtherNulls() {
        return true;
    }

    /// Says where in the scan the next rows added come from: rows of greater places come later.
    void at(long place) {}

    /// Takes the arguments after the first, and the order's keys, for the calls of `add` until the next `bind`.
    public void bind(Vector[] further) {}

    /// Adds rows: `rows[i]` of the argument goes to `groups[i]`.
    public abstract void add(Vector argument, int[] rows, int[] groups, int count);

    /// Adds rows to group 0.
    public final void addToOne(Vector argument, int[] rows, int count) {
        addToGroup(0, argument, rows, count);
    }

    /// Adds rows to one group.
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        if (sameGroup.length < count) {
            sameGroup = new int[count];
        }
        // Of a new array all are 0.
        if (count > 0 && sameGroup[0] != group) {
            Arrays.fill(sameGroup, group);
        }
        add(argument, rows, sameGroup, count);
    }

    /// Whether its partial columns hold nothing where workers' groups are merged in memory: states are moved then.
    boolean hasNoPartials() {
        return false;
    }

    /// Adds all states of another worker's aggregate, where there are no partial columns.
    ///
    /// @param groups the group here of each of its groups
    void moveFrom(Accumulator other, int[] groups) {
        throw new IllegalStateException("states come in columns");
    }

    /// The same where nothing but results is asked for after that: the other one stays as it is, and may be read until
    /// then.
    void adopt(Accumulator other, int[] groups) {
        moveFrom(other, groups);
    }

    /// Begins the next round of what there is to do before results are asked for, alone.
    ///
    /// @return its parts, which several threads may [#run] at the same time; 0 where no round is left, or where
    ///     `result` is as quick
    int beginRound() {
        return 0;
    }

    void run(int part) {
        throw new IllegalStateException("no round has begun");
    }

    /// How many partial columns there are ([AggregateLayout]).
    abstract int partialColumns();

    /// Appends the partial columns of groups [from, from + count), or of those `order` names, to `columns`.
    public abstract void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns);

    /// Merges rows [firstRow, firstRow + count) of partial columns into `groups`.
    ///
    /// @param columns all columns of a batch; this aggregate's start at `firstColumn`
    public abstract void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count);

    /// The results of groups [from, from + count).
    public abstract Column result(int from, int count, Allocator allocator);

    static int place(int[] order, int index) {
        return order == null ? index : order[index];
    }
}
