package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// A join within a pipeline, between two programs: it probes the table that an earlier pipeline built.
///
/// The next program's inputs are the `carried` outputs of the program before it, then the `payload` columns of
/// the build side, then the mark of a mark join.
/// Whether the build side's keys are unique is for the device to see: then rows stay in their tile and nothing
/// is copied.
///
/// @param build number of the pipeline whose sink is a [Sink.HashBuild]
/// @param keys outputs of the program before, equal in number and type to the build's keys; none for a nested loop
/// @param carried outputs of the program before that are handed on
/// @param payload columns among the build's payload that are handed on; empty where the kind has none
/// @param residual what beside equal keys makes a match, or null
/// @param nearest the one build row among those with equal keys that may be a match, or null: any of them
/// @param range which of the build rows with equal keys may be matches, or null: all of them
public record Join(
        JoinKind kind,
        int build,
        List<Integer> keys,
        List<Integer> carried,
        List<Integer> payload,
        Residual residual,
        Nearest nearest,
        Range range) {
    public Join {
        Objects.requireNonNull(kind, "kind");
        keys = List.copyOf(keys);
        carried = List.copyOf(carried);
        payload = List.copyOf(payload);
    }

    public Join(
            JoinKind kind,
            int build,
            List<Integer> keys,
            List<Integer> carried,
            List<Integer> payload,
            Residual residual) {
        this(kind, build, keys, carried, payload, residual, null, null);
    }

    public Join(JoinKind kind, int build, List<Integer> keys, List<Integer> carried, List<Integer> payload) {
        this(kind, build, keys, carried, payload, null);
    }

    /// The same of another kind.
    public Join with(JoinKind newKind) {
        return new Join(newKind, build, keys, carried, payload, residual, nearest, range);
    }

    /// Whether something fails of some pair with equal keys.
    public boolean canFail() {
        return conditions().stream().anyMatch(Program::canFail);
    }

    /// Whether a build row is a match because no other is nearer: without it another would be.
    public boolean takesNearest() {
        return nearest != null || range != null && range.prevailing();
    }

    /// The programs that say which pairs with equal keys are matches.
    public List<Program> conditions() {
        return Stream.of(residual == null ? null : residual.program(), range == null ? null : range.program())
                .filter(Objects::nonNull)
                .toList();
    }

    /// Of the build rows with equal keys, the nearest in an order (ASOF joins, which are INNER or LEFT): for GE and GT
    /// the one with the greatest value to which the probe row's stands in the relation, for LE and LT that with the
    /// least. Of equal ones the last in the build side's order counts for GE and GT, the first for LE and LT. A
    /// NULL is near to nothing. The residual is asked of that row alone.
    ///
    /// @param probe output of the program before the join
    /// @param payload column of the build's payload, of the same type
    /// @param relation of the probe row's value to the build row's; GE, GT, LE or LT
    public record Nearest(int probe, int payload, Relation relation) {
        public Nearest {
            Objects.requireNonNull(relation, "relation");
        }

        /// Whether values of a type have the order that this needs: one of integers or float64.
        public static boolean takes(DataType type) {
            return switch (type) {
                case DataType.Int16 _,
                        DataType.Int32 _,
                        DataType.Int64 _,
                        DataType.Date _,
                        DataType.Time _,
                        DataType.Timestamp _,
                        DataType.Float64 _ -> true;
                default -> false;
            };
        }
    }

    /// Of the build rows with equal keys those whose column lies between two values of the probe row, each of which
    /// may be missing, but not both. A NULL bound, or a NULL in the column, is no match. The residual is asked of
    /// the rows between.
    ///
    /// @param payload column of the build's payload, of a type that [#takes] has
    /// @param carried outputs of the program before the join that the bounds are made of: the program's inputs
    /// @param program its outputs are the lower bound and the upper one, as far as they are there, of the column's
    /// type; it selects all rows, and runs over the probe rows for which there are build rows with equal keys
    /// @param lower GE or GT; null for none
    /// @param upper LE or LT; null for none
    /// @param prevailing whether, where no row stands at the lower bound, the last one before it is a match too:
    /// the greatest below, of equal ones the last in the build side's order. `lower` is GE without a shift then
    public record Range(
            int payload, List<Integer> carried, Program program, Bound lower, Bound upper, boolean prevailing) {
        /// How the column is compared with a bound: `column + shift relation bound`. Infinite dates and timestamps stay
        /// what they are. Where a sum is out of the type's range for a build row with a probe row's keys, the
        /// query fails with 22003 or 22008.
        ///
        /// @param shift in the type's unit (µs, days, 1); 0 for types other than those that [#shifts] has
        public record Bound(Relation relation, long shift) {
            public Bound {
                Objects.requireNonNull(relation, "relation");
            }
        }

        /// Decimal digits that every long has room for.
        private static final int LONG_DIGITS = 18;

        public Range {
            carried = List.copyOf(carried);
            Objects.requireNonNull(program, "program");
        }

        /// Whether the order of a type's values is that of one word.
        public static boolean takes(DataType type) {
            return type instanceof DataType.Float32
                    || type instanceof DataType.Decimal decimal && decimal.precision() <= LONG_DIGITS
                    || Nearest.takes(type);
        }

        /// Whether a column of a type may be shifted: long has room for its values and more.
        public static boolean shifts(DataType type) {
            return switch (type) {
                case DataType.Int16 _, DataType.Int32 _, DataType.Date _, DataType.Timestamp _ -> true;
                default -> false;
            };
        }
    }

    /// A condition over pairs of a probe row and a build row with equal keys.
    ///
    /// @param carried outputs of the program before the join that it reads: the program's first inputs
    /// @param payload columns of the build's payload that it reads: the inputs after them
    /// @param program selects the pairs that match and has no outputs; for MARK its one output is the
    /// condition, a bool
    public record Residual(List<Integer> carried, List<Integer> payload, Program program) {
        public Residual {
            carried = List.copyOf(carried);
            payload = List.copyOf(payload);
            Objects.requireNonNull(program, "program");
        }
    }
}
