package dev.quarrel.core.ir;

import dev.quarrel.core.type.SqlState;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/// The pairs of types between which the CAST opcode converts.
///
/// Semantics are PostgreSQL's: float to integer rounds half to even, numeric to integer and to a smaller scale
/// half away from zero; what does not fit is 22003; text that is no value of the type is 22P02 (22007, 22008,
/// 22015 for dates, times and intervals). An interval becomes a time by its microseconds alone; of an infinite
/// timestamp there is no time of day (0A000). Timestamps convert in UTC. To text gives the type's output text.
/// `Decimal` to `Numeric` keeps the scale as display scale. Integers and bytes convert with the most significant
/// byte first.
public final class Casts {
    /// The errors a cast may raise.
    static final Set<SqlState> FAILS = Set.of(
            SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
            SqlState.INVALID_TEXT_REPRESENTATION,
            SqlState.FEATURE_NOT_SUPPORTED,
            SqlState.INVALID_DATETIME_FORMAT,
            SqlState.INTERVAL_FIELD_OVERFLOW,
            SqlState.DATETIME_FIELD_OVERFLOW);

    private static final Map<TypeClass, Set<TypeClass>> FROM_TO = new EnumMap<>(TypeClass.class);

    static {
        Set<TypeClass> numbers = EnumSet.of(
                TypeClass.INT16,
                TypeClass.INT32,
                TypeClass.INT64,
                TypeClass.FLOAT32,
                TypeClass.FLOAT64,
                TypeClass.DECIMAL,
                TypeClass.NUMERIC);
        for (TypeClass number : numbers) {
            EnumSet<TypeClass> targets = EnumSet.copyOf(numbers);
            targets.add(TypeClass.UTF8);
            FROM_TO.put(number, targets);
        }
        FROM_TO.put(TypeClass.INT32, with(FROM_TO.get(TypeClass.INT32), TypeClass.BOOL));
        FROM_TO.put(TypeClass.BOOL, EnumSet.of(TypeClass.INT32, TypeClass.UTF8));
        FROM_TO.put(TypeClass.DATE, EnumSet.of(TypeClass.TIMESTAMP, TypeClass.UTF8));
        FROM_TO.put(
                TypeClass.TIMESTAMP, EnumSet.of(TypeClass.DATE, TypeClass.TIME, TypeClass.TIMESTAMP, TypeClass.UTF8));
        FROM_TO.put(TypeClass.UUID, EnumSet.of(TypeClass.UTF8));
        FROM_TO.put(TypeClass.BINARY, EnumSet.of(TypeClass.UTF8, TypeClass.INT16, TypeClass.INT32, TypeClass.INT64));
        for (TypeClass integer : EnumSet.of(TypeClass.INT16, TypeClass.INT32, TypeClass.INT64)) {
            FROM_TO.put(integer, with(FROM_TO.get(integer), TypeClass.BINARY));
        }
        FROM_TO.put(TypeClass.TIME, EnumSet.of(TypeClass.INTERVAL, TypeClass.UTF8));
        FROM_TO.put(TypeClass.INTERVAL, EnumSet.of(TypeClass.TIME, TypeClass.UTF8));
        EnumSet<TypeClass> fromText = EnumSet.copyOf(numbers);
        fromText.addAll(EnumSet.of(
                TypeClass.BOOL,
                TypeClass.DATE,
                TypeClass.TIMESTAMP,
                TypeClass.UUID,
                TypeClass.BINARY,
                TypeClass.TIME,
                TypeClass.INTERVAL));
        FROM_TO.put(TypeClass.UTF8, fromText);
    }

    private Casts() {}

    private static Set<TypeClass> with(Set<TypeClass> targets, TypeClass another) {
        EnumSet<TypeClass> copy = EnumSet.copyOf(targets);
        copy.add(another);
        return copy;
    }

    public static boolean isAllowed(TypeClass from, TypeClass to) {
        return FROM_TO.getOrDefault(from, Set.of()).contains(to);
    }
}
