package dev.quarrel.server.session;

/// Durations as SHOW gives them: `0`, `250ms`, `5s`, `1min`, `2h`, `1d`; a bare number is milliseconds.
final class Durations {
    private Durations() {}

    /// 0 for null.
    ///
    /// - Errors: [NumberFormatException] for anything else; the engine has checked a setting before it holds it.
    static long millis(String text) {
        if (text == null) {
            return 0;
        }
        int digits = 0;
        while (digits < text.length() && (Character.isDigit(text.charAt(digits)) || text.charAt(digits) == '-')) {
            digits++;
        }
        long number = Long.parseLong(text, 0, digits, 10);
        return number
                * switch (text.substring(digits).strip()) {
                    case "", "ms" -> 1L;
                    case "s" -> 1000L;
                    case "min" -> 60_000L;
                    case "h" -> 3_600_000L;
                    case "d" -> 86_400_000L;
                    default -> throw new NumberFormatException("no unit of time: " + text);
                };
    }
}
