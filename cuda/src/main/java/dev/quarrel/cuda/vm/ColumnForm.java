package dev.quarrel.cuda.vm;

import dev.quarrel.core.table.StoredRange;

/// The form of a column's values in device memory: each is `base` plus the stored integer.
///
/// @param base 0 unless values are signed integers
/// @param least value that it is held to, where it is narrower than its type
/// @param greatest likewise
public record ColumnForm(Physical physical, long base, long least, long greatest) {
    public static ColumnForm of(Physical physical) {
        return new ColumnForm(physical, 0, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /// The form of integers of a range that takes fewest bytes.
    ///
    /// @param plain how they lie where it is no fewer than that takes
    public static ColumnForm of(StoredRange range, Physical plain) {
        for (Physical physical : new Physical[] {Physical.I8, Physical.I16, Physical.I24, Physical.I32}) {
            int width = physical.width();
            if (width < plain.width() && range.fits(width)) {
                return new ColumnForm(physical, range.base(width), range.least(), range.greatest());
            }
        }
        return of(plain);
    }

    /// Bytes of the values of some rows.
    public long bytes(long rowCount) {
        return physical.bytes(rowCount);
    }

    /// Whether it takes fewer bytes than values of its type do: then they are held to bounds as they are copied.
    public boolean isNarrow() {
        return least != Long.MIN_VALUE || greatest != Long.MAX_VALUE;
    }

    /// As a part of a name: `I16 from 19952869`.
    public String text() {
        return base == 0 ? physical.name() : physical + " from " + base;
    }
}
