package dev.quarrel.core.type;

/// The logical type of a column or register, with PostgreSQL's meaning.
///
/// | case | PostgreSQL | value |
/// |---|---|---|
/// | `Bool` | boolean | true, false |
/// | `Int16`, `Int32`, `Int64` | smallint, integer, bigint | two's complement |
/// | `Float32`, `Float64` | real, double precision | IEEE 754; NaN equals NaN and sorts last, -0 equals 0 |
/// | `Decimal(p, s)` | numeric(p, s) | 128-bit unscaled integer, value = unscaled · 10⁻ˢ |
/// | `Numeric` | numeric | 128-bit unscaled integer *and* a display scale, per value (division, avg, sum of
/// bigint, …) |
/// | `Date` | date | 32-bit days since 1970-01-01 |
/// | `Timestamp` | timestamp [with time zone] | 64-bit microseconds since 1970-01-01T00:00 (UTC for with zone) |
/// | `Uuid` | uuid | 16 bytes, the most significant first; ordered by bytes |
/// | `Time` | time | 64-bit microseconds since midnight, 0 to 86,400,000,000 (24:00) |
/// | `Interval` | interval | 32-bit months and days, 64-bit microseconds ([Interval][dev.quarrel.core.type.Interval]) |
/// | `Utf8` | text, varchar, bpchar | bytes of valid UTF-8; ordered by bytes (collation "C") |
/// | `Binary` | bytea | bytes; ordered by bytes |
///
/// `char(n)`'s "trailing blanks do not count" is an opcode that the planner emits, not a case here.
public sealed interface DataType {
    Bool BOOL = new Bool();
    Int16 INT16 = new Int16();
    Int32 INT32 = new Int32();
    Int64 INT64 = new Int64();
    Float32 FLOAT32 = new Float32();
    Float64 FLOAT64 = new Float64();
    Numeric NUMERIC = new Numeric();
    Date DATE = new Date();
    Timestamp TIMESTAMP = new Timestamp(false);
    Timestamp TIMESTAMPTZ = new Timestamp(true);
    Uuid UUID = new Uuid();
    Time TIME = new Time();
    Interval INTERVAL = new Interval();
    Utf8 UTF8 = new Utf8();
    Binary BINARY = new Binary();

    record Bool() implements DataType {
        @Override
        public String toString() {
            return "bool";
        }
    }

    record Int16() implements DataType {
        @Override
        public String toString() {
            return "int16";
        }
    }

    record Int32() implements DataType {
        @Override
        public String toString() {
            return "int32";
        }
    }

    record Int64() implements DataType {
        @Override
        public String toString() {
            return "int64";
        }
    }

    record Float32() implements DataType {
        @Override
        public String toString() {
            return "float32";
        }
    }

    record Float64() implements DataType {
        @Override
        public String toString() {
            return "float64";
        }
    }

    /// @param precision 1 to 38 decimal digits
    /// @param scale 0 to `precision` digits after the point
    record Decimal(int precision, int scale) implements DataType {
        public static final int MAX_PRECISION = 38;

        public Decimal {
            if (precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision) {
                throw new IllegalArgumentException("decimal(" + precision + "," + scale + ")");
            }
        }

        @Override
        public String toString() {
            return "decimal(" + precision + "," + scale + ")";
        }
    }

    record Numeric() implements DataType {
        @Override
        public String toString() {
            return "numeric";
        }
    }

    record Date() implements DataType {
        @Override
        public String toString() {
            return "date";
        }
    }

    record Timestamp(boolean withZone) implements DataType {
        @Override
        public String toString() {
            return withZone ? "timestamptz" : "timestamp";
        }
    }

    record Uuid() implements DataType {
        @Override
        public String toString() {
            return "uuid";
        }
    }

    record Time() implements DataType {
        public static final long MICROS_PER_DAY = CivilDate.MICROS_PER_DAY;

        @Override
        public String toString() {
            return "time";
        }
    }

    record Interval() implements DataType {
        @Override
        public String toString() {
            return "interval";
        }
    }

    record Utf8() implements DataType {
        @Override
        public String toString() {
            return "utf8";
        }
    }

    record Binary() implements DataType {
        @Override
        public String toString() {
            return "binary";
        }
    }

    /// Bytes of one value in a fixed-width column: 0 for `Bool` (a bit), -1 for `Utf8` and `Binary`.
    ///
    /// `Numeric` is 24: the unscaled int128, then the scale as int32, then 4 bytes of zero. `Interval` is 16:
    /// months and days as int32, then the microseconds as int64.
    default int byteWidth() {
        return switch (this) {
            case Bool _ -> 0;
            case Int16 _ -> 2;
            case Int32 _, Float32 _, Date _ -> 4;
            case Int64 _, Float64 _, Time _, Timestamp _ -> 8;
            case Decimal _, Uuid _, Interval _ -> 16;
            case Numeric _ -> 24;
            case Utf8 _, Binary _ -> -1;
        };
    }

    /// Reads the text that `toString` writes.
    ///
    /// - Errors: [IllegalArgumentException] for any other text.
    static DataType parse(String text) {
        return switch (text) {
            case "bool" -> BOOL;
            case "int16" -> INT16;
            case "int32" -> INT32;
            case "int64" -> INT64;
            case "float32" -> FLOAT32;
            case "float64" -> FLOAT64;
            case "numeric" -> NUMERIC;
            case "date" -> DATE;
            case "timestamp" -> TIMESTAMP;
            case "timestamptz" -> TIMESTAMPTZ;
            case "uuid" -> UUID;
            case "time" -> TIME;
            case "interval" -> INTERVAL;
            case "utf8" -> UTF8;
            case "binary" -> BINARY;
            default -> parseDecimal(text);
        };
    }

    private static DataType parseDecimal(String text) {
        if (!text.startsWith("decimal(") || !text.endsWith(")")) {
            throw new IllegalArgumentException("no data type is named " + text);
        }
        String[] arguments =
                text.substring("decimal(".length(), text.length() - 1).split(",", 2);
        if (arguments.length != 2) {
            throw new IllegalArgumentException("decimal needs precision and scale: " + text);
        }
        return new Decimal(Integer.parseInt(arguments[0].trim()), Integer.parseInt(arguments[1].trim()));
    }
}
