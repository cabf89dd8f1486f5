package dev.quarrel.samples.ssb;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The fixed texts of the benchmark's columns, each list a dictionary whose code is the list's index.
///
/// - Memory: a few kilobytes that live as long as the process.
final class Words {
    static final List<String> REGION_NAMES = List.of("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST");
    /// In TPC-H's order, whose index + 10 is the country code of telephone numbers.
    static final List<String> NATION_NAMES = List.of(
            "ALGERIA",
            "ARGENTINA",
            "BRAZIL",
            "CANADA",
            "EGYPT",
            "ETHIOPIA",
            "FRANCE",
            "GERMANY",
            "INDIA",
            "INDONESIA",
            "IRAN",
            "IRAQ",
            "JAPAN",
            "JORDAN",
            "KENYA",
            "MOROCCO",
            "MOZAMBIQUE",
            "PERU",
            "CHINA",
            "ROMANIA",
            "SAUDI ARABIA",
            "VIETNAM",
            "RUSSIA",
            "UNITED KINGDOM",
            "UNITED STATES");
    private static final int[] REGION_OF_NATION = {
        0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1
    };
    static final int CITIES_PER_NATION = 10;

    static final List<String> COLOR_NAMES = List.of(("almond antique aquamarine azure beige bisque black blanched blue "
                    + "blush brown burlywood burnished chartreuse chiffon chocolate coral cornflower cornsilk cream cyan "
                    + "dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost goldenrod green grey "
                    + "honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium "
                    + "metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink "
                    + "plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke "
                    + "snow spring steel tan thistle tomato turquoise violet wheat white yellow")
            .split(" "));

    static final int MANUFACTURERS = 5;
    static final int CATEGORIES_PER_MANUFACTURER = 5;
    static final int BRANDS_PER_CATEGORY = 40;

    static final Dictionary REGIONS = dictionary(REGION_NAMES);
    static final Dictionary NATIONS = dictionary(NATION_NAMES);
    static final Dictionary CITIES = dictionary(cityNames());
    static final Dictionary SEGMENTS =
            dictionary(List.of("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"));
    static final Dictionary COLORS = dictionary(COLOR_NAMES);
    static final Dictionary MANUFACTURER_NAMES = dictionary(partHierarchy(1));
    static final Dictionary CATEGORY_NAMES = dictionary(partHierarchy(2));
    static final Dictionary BRAND_NAMES = dictionary(partHierarchy(3));
    static final Dictionary PART_TYPES = dictionary(combinations(
            List.of("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"),
            combinations(
                    List.of("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"),
                    List.of("TIN", "NICKEL", "BRASS", "STEEL", "COPPER"))));
    static final Dictionary CONTAINERS = dictionary(combinations(
            List.of("SM", "LG", "MED", "JUMBO", "WRAP"),
            List.of("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")));
    static final Dictionary PRIORITIES =
            dictionary(List.of("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"));
    static final Dictionary SHIP_PRIORITIES = dictionary(List.of("0"));
    static final Dictionary SHIP_MODES = dictionary(List.of("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"));
    /// By day of the week, Sunday first.
    static final Dictionary WEEKDAYS =
            dictionary(List.of("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"));
    static final List<String> MONTH_NAMES = List.of(
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December");
    static final Dictionary MONTHS = dictionary(MONTH_NAMES);
    /// `Jan1992` … `Dec1998`.
    static final Dictionary YEAR_MONTHS = dictionary(yearMonths());
    static final Dictionary SEASONS = dictionary(List.of("Christmas", "Summer", "Winter", "Spring", "Fall"));

    private Words() {}

    static int regionOfNation(int nation) {
        return REGION_OF_NATION[nation];
    }

    private static List<String> cityNames() {
        List<String> names = new ArrayList<>();
        for (String nation : NATION_NAMES) {
            for (int city = 0; city < CITIES_PER_NATION; city++) {
                names.add(String.format(Locale.ROOT, "%-9.9s%d", nation, city));
            }
        }
        return names;
    }

    private static List<String> partHierarchy(int level) {
        List<String> names = new ArrayList<>();
        for (int manufacturer = 1; manufacturer <= MANUFACTURERS; manufacturer++) {
            String name = "MFGR#" + manufacturer;
            if (level == 1) {
                names.add(name);
                continue;
            }
            for (int category = 1; category <= CATEGORIES_PER_MANUFACTURER; category++) {
                if (level == 2) {
                    names.add(name + category);
                    continue;
                }
                for (int brand = 1; brand <= BRANDS_PER_CATEGORY; brand++) {
                    names.add(String.format(Locale.ROOT, "%s%d%02d", name, category, brand));
                }
            }
        }
        return names;
    }

    private static List<String> combinations(List<String> first, List<String> second) {
        return first.stream()
                .flatMap(left -> second.stream().map(right -> left + " " + right))
                .toList();
    }

    private static List<String> yearMonths() {
        List<String> names = new ArrayList<>();
        for (int year = 1992; year <= 1998; year++) {
            for (String month : MONTH_NAMES) {
                names.add(month.substring(0, 3) + year);
            }
        }
        return names;
    }

    private static Dictionary dictionary(List<String> words) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, Allocator.of(Arena.global()), words.size());
        words.forEach(writer::appendUtf8);
        return new Dictionary((Utf8Column) writer.finish());
    }
}
