package dev.quarrel.core.pg;

import java.util.Locale;

/// The order of day, month and year in dates that are written with numbers alone: the second half of DateStyle.
public enum DateOrder {
    MDY,
    DMY,
    YMD;

    /// The order that a value of DateStyle names, as SHOW gives it.
    public static DateOrder of(String dateStyle) {
        return valueOf(dateStyle.substring(dateStyle.length() - 3).toUpperCase(Locale.ROOT));
    }
}
