package dev.quarrel.samples.ssb;

import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `lineorder_flat`: each row of `lineorder` with what the dimensions' tables say of its keys.
///
/// A dimension's row is a function of its key and the seed, so it is made anew for each row, not looked up.
final class FlatBlocks implements Blocks {
    static final String TABLE_NAME = "lineorder_flat";
    private static final List<String> COLUMNS = List.of(
            "lo_orderkey",
            "lo_linenumber",
            "lo_custkey",
            "lo_partkey",
            "lo_suppkey",
            "lo_orderdate",
            "lo_orderpriority",
            "lo_quantity",
            "lo_extendedprice",
            "lo_ordtotalprice",
            "lo_discount",
            "lo_revenue",
            "lo_supplycost",
            "lo_tax",
            "lo_commitdate",
            "lo_shipmode",
            "c_city",
            "c_nation",
            "c_region",
            "c_mktsegment",
            "s_city",
            "s_nation",
            "s_region",
            "p_mfgr",
            "p_category",
            "p_brand1",
            "p_color",
            "p_type",
            "p_size",
            "p_container",
            "d_month",
            "d_year",
            "d_yearmonthnum",
            "d_yearmonth",
            "d_weeknuminyear",
            "d_sellingseason");

    private final LineorderBlocks lines;
    private final CounterRandom customerNations;
    private final CounterRandom customerCities;
    private final CounterRandom customerSegments;
    private final CounterRandom supplierNations;
    private final CounterRandom supplierCities;
    private final CounterRandom partColors;
    private final CounterRandom partBrands;
    private final CounterRandom partTypes;
    private final CounterRandom partSizes;
    private final CounterRandom partContainers;

    private FlatBlocks(SsbScale scale) {
        lines = new LineorderBlocks(scale);
        customerNations = DimensionBlocks.random(SsbTable.CUSTOMER, scale, "nation");
        customerCities = DimensionBlocks.random(SsbTable.CUSTOMER, scale, "city");
        customerSegments = DimensionBlocks.random(SsbTable.CUSTOMER, scale, "segment");
        supplierNations = DimensionBlocks.random(SsbTable.SUPPLIER, scale, "nation");
        supplierCities = DimensionBlocks.random(SsbTable.SUPPLIER, scale, "city");
        partColors = DimensionBlocks.random(SsbTable.PART, scale, "color");
        partBrands = DimensionBlocks.random(SsbTable.PART, scale, "brand");
        partTypes = DimensionBlocks.random(SsbTable.PART, scale, "type");
        partSizes = DimensionBlocks.random(SsbTable.PART, scale, "size");
        partContainers = DimensionBlocks.random(SsbTable.PART, scale, "container");
    }

    static BlockTable table(SsbScale scale) {
        List<Field> fields = new ArrayList<>();
        Map<String, Integer> wordCounts = new LinkedHashMap<>();
        for (String name : COLUMNS) {
            for (SsbTable table : SsbTable.values()) {
                int index = table.schema().indexOf(name);
                if (index >= 0) {
                    fields.add(table.schema().field(index));
                    if (table.wordCounts().containsKey(name)) {
                        wordCounts.put(name, table.wordCounts().get(name));
                    }
                }
            }
        }
        return new BlockTable(TABLE_NAME, new Schema(fields), wordCounts, new FlatBlocks(scale));
    }

    @Override
    public int blockCount() {
        return lines.blockCount();
    }

    @Override
    public int rowCount(int block) {
        return lines.rowCount(block);
    }

    @Override
    public void fill(int block, BlockColumns columns) {
        LineorderBlocks.Rows rows = lines.rows(block);
        int count = rows.orderKey.length;
        short[] customerCity = new short[count];
        short[] supplierCity = new short[count];
        short[] brand = new short[count];
        LocalDate[] day = new LocalDate[count];
        int lastBrand = Words.BRAND_NAMES.size() - 1;
        for (int row = 0; row < count; row++) {
            // Row 0 of a dimension has key 1.
            customerCity[row] =
                    (short) DimensionBlocks.city(customerNations, customerCities, rows.customerKey[row] - 1);
            supplierCity[row] =
                    (short) DimensionBlocks.city(supplierNations, supplierCities, rows.supplierKey[row] - 1);
            brand[row] = (short) partBrands.between(rows.partKey[row] - 1, 0, lastBrand);
            day[row] = row > 0 && rows.orderDate[row] == rows.orderDate[row - 1]
                    ? day[row - 1]
                    : DimensionBlocks.day(rows.orderDate[row]);
        }
        columns.integers(rows.orderKey)
                .integers(rows.lineNumber)
                .integers(rows.customerKey)
                .integers(rows.partKey)
                .integers(rows.supplierKey)
                .integers(rows.orderDate)
                .words(Words.PRIORITIES, row -> rows.priority[row])
                .integers(rows.quantity)
                .integers(rows.extendedPrice)
                .integers(rows.orderTotalPrice)
                .integers(rows.discount)
                .integers(rows.revenue)
                .integers(rows.supplyCost)
                .integers(rows.tax)
                .integers(rows.commitDate)
                .words(Words.SHIP_MODES, row -> rows.shipMode[row]);
        fillPlace(customerCity, columns);
        columns.words(
                Words.SEGMENTS,
                row -> customerSegments.between(rows.customerKey[row] - 1, 0, Words.SEGMENTS.size() - 1));
        fillPlace(supplierCity, columns);
        int brandsPerManufacturer = Words.BRANDS_PER_CATEGORY * Words.CATEGORIES_PER_MANUFACTURER;
        columns.words(Words.MANUFACTURER_NAMES, row -> brand[row] / brandsPerManufacturer)
                .words(Words.CATEGORY_NAMES, row -> brand[row] / Words.BRANDS_PER_CATEGORY)
                .words(Words.BRAND_NAMES, row -> brand[row])
                .words(Words.COLORS, row -> DimensionBlocks.color(partColors, rows.partKey[row] - 1, 0))
                .words(
                        Words.PART_TYPES,
                        row -> partTypes.between(rows.partKey[row] - 1, 0, Words.PART_TYPES.size() - 1))
                .integers(row -> partSizes.between(rows.partKey[row] - 1, 1, 50))
                .words(
                        Words.CONTAINERS,
                        row -> partContainers.between(rows.partKey[row] - 1, 0, Words.CONTAINERS.size() - 1))
                .words(Words.MONTHS, row -> day[row].getMonthValue() - 1)
                .integers(row -> day[row].getYear())
                .integers(row -> rows.orderDate[row] / 100)
                .words(Words.YEAR_MONTHS, row -> DimensionBlocks.yearMonth(day[row]))
                .integers(row -> DimensionBlocks.week(day[row]))
                .words(Words.SEASONS, row -> DimensionBlocks.season(day[row].getMonthValue()));
    }

    private static void fillPlace(short[] city, BlockColumns columns) {
        columns.words(Words.CITIES, row -> city[row])
                .words(Words.NATIONS, row -> city[row] / Words.CITIES_PER_NATION)
                .words(Words.REGIONS, row -> Words.regionOfNation(city[row] / Words.CITIES_PER_NATION));
    }
}
