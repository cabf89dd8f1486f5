package dev.quarrel.core.pg;

import java.util.HashMap;
import java.util.Map;

/// The words of dates and times that are no time zones: names of months and weekdays, and PostgreSQL's keywords.
///
/// - Source: PostgreSQL's `datetime.c` (datetktbl).
final class DateTimeWords {
    /// PostgreSQL compares at most so many letters of a keyword.
    private static final int MAX_LETTERS = 10;

    private static final Map<String, Integer> MONTHS = numbered(
            1,
            "jan,january feb,february mar,march apr,april may jun,june jul,july aug,august sep,sept,september"
                    + " oct,october nov,november dec,december");
    private static final Map<String, Integer> WEEKDAYS = numbered(
            0,
            "sun,sunday mon,monday tue,tues,tuesday wed,weds,wednesday thu,thur,thurs,thursday fri,friday"
                    + " sat,saturday");

    private DateTimeWords() {}

    /// The number of a month, from 1 on, or null for another word.
    ///
    /// @param word in lower case, as all words here
    static Integer month(String word) {
        return MONTHS.get(truncated(word));
    }

    static boolean isWeekday(String word) {
        return WEEKDAYS.containsKey(word);
    }

    /// Whether digits may follow a word at once, and are a field of their own.
    static boolean isKeyword(String word) {
        return month(word) != null
                || isWeekday(word)
                || switch (word) {
                    case "t",
                            "j",
                            "jd",
                            "julian",
                            "am",
                            "pm",
                            "ad",
                            "bc",
                            "at",
                            "on",
                            "dst",
                            "epoch",
                            "infinity",
                            "now",
                            "today",
                            "tomorrow",
                            "yesterday",
                            "allballs",
                            "d",
                            "dow",
                            "doy",
                            "h",
                            "isodow",
                            "isoyear",
                            "m",
                            "mm",
                            "s",
                            "y" -> true;
                    default -> false;
                };
    }

    private static String truncated(String word) {
        return word.length() > MAX_LETTERS ? word.substring(0, MAX_LETTERS) : word;
    }

    private static Map<String, Integer> numbered(int first, String words) {
        Map<String, Integer> numbers = new HashMap<>();
        int number = first;
        for (String group : words.split(" ")) {
            for (String word : group.split(",")) {
                numbers.put(word, number);
            }
            number++;
        }
        return Map.copyOf(numbers);
    }
}
