package dev.quarrel.samples.ssb;

import java.time.DayOfWeek;
import java.time.LocalDate;

/// The four dimensions, one method a table. Keys count from 1; row 0 of a block is not row 0 of the table.
final class DimensionBlocks implements Blocks {
    private static final int ROWS_PER_BLOCK = 65_536;
    private static final String ADDRESS_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,";
    private static final int MIN_ADDRESS_LENGTH = 6;
    private static final int MAX_ADDRESS_LENGTH = 24;
    static final LocalDate FIRST_DAY = LocalDate.of(1992, 1, 1);

    private final SsbTable table;
    private final SsbScale scale;
    private final int tableRows;

    DimensionBlocks(SsbTable table, SsbScale scale) {
        this.table = table;
        this.scale = scale;
        this.tableRows = switch (table) {
            case CUSTOMER -> scale.customerCount();
            case SUPPLIER -> scale.supplierCount();
            case PART -> scale.partCount();
            case DATE -> SsbScale.DATE_COUNT;
            case LINEORDER -> throw new IllegalArgumentException("lineorder is the fact table");
        };
    }

    @Override
    public int blockCount() {
        return Blocks.blockCount(tableRows, ROWS_PER_BLOCK);
    }

    @Override
    public int rowCount(int block) {
        return Math.min(ROWS_PER_BLOCK, tableRows - block * ROWS_PER_BLOCK);
    }

    @Override
    public void fill(int block, BlockColumns columns) {
        int first = block * ROWS_PER_BLOCK;
        switch (table) {
            case CUSTOMER -> {
                fillPerson("Customer", first, columns);
                CounterRandom segment = random("segment");
                columns.words(Words.SEGMENTS, row -> segment.between(first + row, 0, Words.SEGMENTS.size() - 1));
            }
            case SUPPLIER -> fillPerson("Supplier", first, columns);
            case PART -> fillPart(first, columns);
            case DATE -> fillDate(first, columns);
            case LINEORDER -> throw new IllegalStateException("lineorder is the fact table");
        }
    }

    private CounterRandom random(String column) {
        return random(table, scale, column);
    }

    /// The numbers that a dimension's column is made from.
    static CounterRandom random(SsbTable table, SsbScale scale, String column) {
        return new CounterRandom(scale.seed(), table.name() + "." + column);
    }

    private void fillPerson(String namePrefix, int first, BlockColumns columns) {
        CounterRandom nations = random("nation");
        CounterRandom cities = random("city");
        CounterRandom address = random("address");
        CounterRandom phone = random("phone");
        columns.integers(row -> first + row + 1)
                .texts(row -> namePrefix + "#" + padded(first + row + 1, 9))
                .texts(row -> address(address, first + row))
                .words(Words.CITIES, row -> city(nations, cities, first + row))
                .words(Words.NATIONS, row -> nation(nations, first + row))
                .words(Words.REGIONS, row -> Words.regionOfNation(nation(nations, first + row)))
                .texts(row -> phone(phone, nation(nations, first + row), first + row));
    }

    /// The code in [Words#CITIES] of a customer or supplier; the tenth of it is the nation's code.
    static int city(CounterRandom nations, CounterRandom cities, int index) {
        return nation(nations, index) * Words.CITIES_PER_NATION + cities.between(index, 0, Words.CITIES_PER_NATION - 1);
    }

    private static int nation(CounterRandom nations, int index) {
        return nations.between(index, 0, Words.NATION_NAMES.size() - 1);
    }

    private static String address(CounterRandom random, int index) {
        long position = index * 32L;
        int length = random.between(position, MIN_ADDRESS_LENGTH, MAX_ADDRESS_LENGTH);
        char[] text = new char[length];
        for (int place = 0; place < length; place++) {
            text[place] = ADDRESS_ALPHABET.charAt((int) (random.bits(position + 1 + place) >>> 58));
        }
        return new String(text);
    }

    private static String phone(CounterRandom random, int nation, int index) {
        long position = index * 4L;
        return padded(nation + 10, 2) + "-" + random.between(position, 100, 999) + "-"
                + random.between(position + 1, 100, 999) + "-" + random.between(position + 2, 1000, 9999);
    }

    private void fillPart(int first, BlockColumns columns) {
        CounterRandom colors = random("color");
        CounterRandom brands = random("brand");
        CounterRandom types = random("type");
        CounterRandom sizes = random("size");
        CounterRandom containers = random("container");
        int lastBrand = Words.BRAND_NAMES.size() - 1;
        columns.integers(row -> first + row + 1)
                .texts(row -> Words.COLOR_NAMES.get(color(colors, first + row, 0)) + " "
                        + Words.COLOR_NAMES.get(color(colors, first + row, 1)))
                .words(
                        Words.MANUFACTURER_NAMES,
                        row -> brands.between(first + row, 0, lastBrand)
                                / (Words.BRANDS_PER_CATEGORY * Words.CATEGORIES_PER_MANUFACTURER))
                .words(
                        Words.CATEGORY_NAMES,
                        row -> brands.between(first + row, 0, lastBrand) / Words.BRANDS_PER_CATEGORY)
                .words(Words.BRAND_NAMES, row -> brands.between(first + row, 0, lastBrand))
                .words(Words.COLORS, row -> color(colors, first + row, 0))
                .words(Words.PART_TYPES, row -> types.between(first + row, 0, Words.PART_TYPES.size() - 1))
                .integers(row -> sizes.between(first + row, 1, 50))
                .words(Words.CONTAINERS, row -> containers.between(first + row, 0, Words.CONTAINERS.size() - 1));
    }

    static int color(CounterRandom colors, int index, int word) {
        return colors.between(index * 2L + word, 0, Words.COLOR_NAMES.size() - 1);
    }

    private static void fillDate(int first, BlockColumns columns) {
        columns.integers(row -> dateKey(day(first, row)))
                .texts(row -> dateText(day(first, row)))
                .words(Words.WEEKDAYS, row -> weekday(day(first, row)) - 1)
                .words(Words.MONTHS, row -> day(first, row).getMonthValue() - 1)
                .integers(row -> day(first, row).getYear())
                .integers(row -> dateKey(day(first, row)) / 100)
                .words(Words.YEAR_MONTHS, row -> yearMonth(day(first, row)))
                .integers(row -> weekday(day(first, row)))
                .integers(row -> day(first, row).getDayOfMonth())
                .integers(row -> day(first, row).getDayOfYear())
                .integers(row -> day(first, row).getMonthValue())
                .integers(row -> week(day(first, row)))
                .words(Words.SEASONS, row -> season(day(first, row).getMonthValue()))
                .integers(row -> flag(day(first, row).getDayOfWeek() == DayOfWeek.SATURDAY))
                .integers(row ->
                        flag(day(first, row).getDayOfMonth() == day(first, row).lengthOfMonth()))
                .integers(row -> flag(isHoliday(day(first, row))))
                .integers(row -> flag(day(first, row).getDayOfWeek().getValue() <= 5));
    }

    private static LocalDate day(int first, int row) {
        return FIRST_DAY.plusDays(first + row);
    }

    /// `19920101` for 1992-01-01.
    static int dateKey(LocalDate day) {
        return day.getYear() * 10_000 + day.getMonthValue() * 100 + day.getDayOfMonth();
    }

    /// The day of a key as [#dateKey] makes it.
    static LocalDate day(int dateKey) {
        return LocalDate.of(dateKey / 10_000, dateKey / 100 % 100, dateKey % 100);
    }

    private static String dateText(LocalDate day) {
        return Words.MONTH_NAMES.get(day.getMonthValue() - 1) + " " + day.getDayOfMonth() + ", " + day.getYear();
    }

    /// The code in [Words#YEAR_MONTHS].
    static int yearMonth(LocalDate day) {
        return (day.getYear() - FIRST_DAY.getYear()) * 12 + day.getMonthValue() - 1;
    }

    static int week(LocalDate day) {
        return (day.getDayOfYear() - 1) / 7 + 1;
    }

    /// 1 on Sundays to 7 on Saturdays.
    private static int weekday(LocalDate day) {
        return day.getDayOfWeek().getValue() % 7 + 1;
    }

    static int season(int month) {
        return switch (month) {
            case 11, 12 -> 0;
            case 5, 6, 7, 8 -> 1;
            case 1, 2, 3 -> 2;
            case 4 -> 3;
            default -> 4;
        };
    }

    private static boolean isHoliday(LocalDate day) {
        return switch (day.getMonthValue()) {
            case 1 -> day.getDayOfMonth() == 1;
            case 12 -> day.getDayOfMonth() == 24;
            case 3, 6 -> false;
            default -> day.getDayOfMonth() == 20;
        };
    }

    private static int flag(boolean value) {
        return value ? 1 : 0;
    }

    private static String padded(int value, int width) {
        String digits = Integer.toString(value);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
