package dev.quarrel.core.pg;

/// The order of day, month and year in dates that are written with numbers alone: the second half of DateStyle.
public enum DateOrder {
    MDY,
    DMY,
    YMD;

    /// The order that a value of DateStyle names, as SHOW gives it; MDY where it names none.
    public static DateOrder of(String dateStyle) {
        return dateStyle.endsWith("DMY") ? DMY : dateStyle.endsWith("YMD") ? YMD : MDY;
    }
}
