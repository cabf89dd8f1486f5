package dev.quarrel.core.table;

import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.math.BigInteger;

/// The range of a column's values, as the int64s that stand in its memory: integers, days and microseconds as
/// they are, decimals unscaled.
public record StoredRange(long least, long greatest) {
    /// What a table's statistics say; null for other types, and where they say nothing or more than 64 bits.
    public static StoredRange of(Table table, int column) {
        DataType type = table.schema().type(column);
        ColumnStats stats = table.stats().columns().get(column);
        return switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ ->
                stats.min() instanceof Long least && stats.max() instanceof Long greatest
                        ? new StoredRange(least, greatest)
                        : null;
            case DataType.Decimal(int _, int scale) ->
                stats.min() instanceof BigDecimal least && stats.max() instanceof BigDecimal greatest
                        ? decimals(least, greatest, scale)
                        : null;
            default -> null;
        };
    }

    private static StoredRange decimals(BigDecimal least, BigDecimal greatest, int scale) {
        if (least.scale() > scale || greatest.scale() > scale) {
            return null;
        }
        BigInteger first = least.setScale(scale).unscaledValue();
        BigInteger last = greatest.setScale(scale).unscaledValue();
        return first.bitLength() >= Long.SIZE || last.bitLength() >= Long.SIZE
                ? null
                : new StoredRange(first.longValue(), last.longValue());
    }

    /// Whether signed numbers of so many bytes, 1 to 7, can say each value as what it has above a base.
    public boolean fits(int width) {
        long span = greatest - least;
        long reach = reach(width);
        // Beyond the least value there is room for the greatest that can be said, so that no sum overflows.
        return span >= 0 && span < 2 * reach && (needsNoBase(reach) || least <= Long.MAX_VALUE - 2 * reach);
    }

    /// What a stored 0 means where numbers of so many bytes fit: 0 if it can be.
    public long base(int width) {
        long reach = reach(width);
        return needsNoBase(reach) ? 0 : least + reach;
    }

    private boolean needsNoBase(long reach) {
        return least >= -reach && greatest < reach;
    }

    private static long reach(int width) {
        return 1L << Byte.SIZE * width - 1;
    }
}
