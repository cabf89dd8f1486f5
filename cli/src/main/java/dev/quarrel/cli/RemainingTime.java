package dev.quarrel.cli;

/// Estimates the remaining time of a command calmly: in round numbers that change only when they have been wrong
/// for a while.
final class RemainingTime {
    private static final double CALM = 0.25;
    private static final int MINUTE = 60;
    private static final int HOUR = 3600;

    private double endSeconds = -1;

    /// @param seconds since the beginning
    /// @param part what is done, of 1
    String text(double seconds, double part) {
        if (part >= 1) {
            return "nearly done";
        }
        double end = seconds / part;
        double left = endSeconds - seconds;
        // What was said stands, as long as it is not wrong by more than a quarter.
        if (endSeconds < 0 || Math.abs(end - endSeconds) > CALM * Math.max(end - seconds, 1) || left <= 0) {
            endSeconds = end;
        }
        return "about " + rounded(Math.max(endSeconds - seconds, 1)) + " left";
    }

    private static String rounded(double seconds) {
        if (seconds < 10) {
            return (int) Math.ceil(seconds) + " s";
        }
        if (seconds <= MINUTE - 5) {
            return (int) Math.ceil(seconds / 5) * 5 + " s";
        }
        if (seconds < 10 * MINUTE) {
            int tens = (int) Math.ceil(seconds / 10) * 10;
            return tens / MINUTE + " min" + (tens % MINUTE == 0 ? "" : " " + tens % MINUTE + " s");
        }
        if (seconds <= HOUR - MINUTE) {
            return (int) Math.ceil(seconds / MINUTE) + " min";
        }
        int minutes = (int) Math.ceil(seconds / (5 * MINUTE)) * 5;
        return minutes / MINUTE + " h" + (minutes % MINUTE == 0 ? "" : " " + minutes % MINUTE + " min");
    }
}
