package dev.quarrel.samples.ssb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SsbGeneratorTest {
    private static final SsbScale SMALL = new SsbScale(0.01);

    @ParameterizedTest
    @EnumSource(SsbTable.class)
    void rowsDependOnScaleAndSeedAlone(SsbTable table) throws Exception {
        String oneThread = digest(SMALL, table, 1);
        assertThat(digest(SMALL, table, 4)).isEqualTo(oneThread);
        String otherSeed = digest(new SsbScale(0.01, 1), table, 2);
        if (table == SsbTable.DATE) {
            assertThat(otherSeed).isEqualTo(oneThread);
        } else {
            assertThat(otherSeed).isNotEqualTo(oneThread);
        }
    }

    @ParameterizedTest
    @EnumSource(SsbTable.class)
    void dictionariesAreAsDeclared(SsbTable table) throws Exception {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        new SsbGenerator(SMALL).generate(table, 1, batch -> {
            for (int column = 0; column < batch.columns().size(); column++) {
                if (batch.column(column) instanceof DictionaryColumn words) {
                    sizes.put(
                            table.schema().field(column).name(),
                            words.dictionary().size());
                }
            }
        });
        assertThat(sizes).isEqualTo(table.wordCounts());
    }

    @Test
    void numberedBatchesAreTheOrderedOnes() throws Exception {
        SsbScale scale = new SsbScale(0.1);
        List<String> ordered = new ArrayList<>();
        new SsbGenerator(scale).generate(SsbTable.LINEORDER, 2, batch -> ordered.add(digest(batch)));
        Map<Integer, String> numbered = new ConcurrentSkipListMap<>();
        long rows = new SsbGenerator(scale)
                .generateNumbered(SsbTable.LINEORDER, 3, (number, batch) -> numbered.put(number, digest(batch)));
        assertThat(ordered).hasSizeGreaterThan(3);
        assertThat(List.copyOf(numbered.values())).isEqualTo(ordered);
        assertThat(rows).isEqualTo(new SsbGenerator(scale).rowCount(SsbTable.LINEORDER));
        assertThatThrownBy(() -> new SsbGenerator(scale).generateNumbered(SsbTable.LINEORDER, 2, (_, _) -> {
                    throw new IOException("disk full");
                }))
                .hasMessage("disk full");
    }

    private static String digest(Batch batch) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            update(digest, batch);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void tablesHaveThePapersSizes() throws Exception {
        SsbScale one = new SsbScale(1);
        assertThat(one.orderCount()).isEqualTo(1_500_000);
        assertThat(one.customerCount()).isEqualTo(30_000);
        assertThat(one.supplierCount()).isEqualTo(2_000);
        assertThat(one.partCount()).isEqualTo(200_000);
        assertThat(new SsbScale(10).partCount()).isEqualTo(800_000);
        SsbGenerator small = new SsbGenerator(SMALL);
        for (SsbTable table : SsbTable.values()) {
            assertThat(small.generate(table, 2, _ -> {})).as(table.name()).isEqualTo(small.rowCount(table));
        }
        assertThat(small.rowCount(SsbTable.LINEORDER)).isBetween(59_000L, 61_000L);
        assertThat(small.rowCount(SsbTable.DATE)).isEqualTo(2_556);
    }

    @ParameterizedTest
    @EnumSource(SsbTable.class)
    void primaryKeysAreUniqueAndAscend(SsbTable table) throws Exception {
        List<Map<String, Object>> rows = rows(SMALL, table);
        long before = Long.MIN_VALUE;
        for (Map<String, Object> row : rows) {
            long key = 0;
            for (String column : table.primaryKey()) {
                key = key * 8 + (int) row.get(column);
            }
            assertThat(key).isGreaterThan(before);
            before = key;
        }
    }

    @ParameterizedTest
    @EnumSource(SsbTable.class)
    void textsFitTheirColumns(SsbTable table) throws Exception {
        List<Map<String, Object>> rows = rows(SMALL, table);
        table.schema().fields().stream()
                .filter(field -> field.type().equals(DataType.UTF8))
                .forEach(field -> {
                    int size = Integer.parseInt(field.pgType().replaceAll("\\D", ""));
                    assertThat(rows)
                            .as(field.name())
                            .allSatisfy(row ->
                                    assertThat((String) row.get(field.name())).hasSizeBetween(1, size));
                });
    }

    @Test
    void lineorderKeepsItsDomainsAndFormulas() throws Exception {
        Set<Object> days = column(SMALL, SsbTable.DATE, "d_datekey");
        Map<Integer, Long> totals = new HashMap<>();
        Map<Integer, Integer> statedTotals = new HashMap<>();
        for (Map<String, Object> row : rows(SMALL, SsbTable.LINEORDER)) {
            int quantity = (int) row.get("lo_quantity");
            int discount = (int) row.get("lo_discount");
            int tax = (int) row.get("lo_tax");
            int revenue = (int) row.get("lo_revenue");
            int price = LineorderBlocks.partPrice((int) row.get("lo_partkey"));
            assertThat(quantity).isBetween(1, 50);
            assertThat(discount).isBetween(0, 10);
            assertThat(tax).isBetween(0, 8);
            assertThat((int) row.get("lo_linenumber")).isBetween(1, 7);
            assertThat((int) row.get("lo_partkey")).isBetween(1, SMALL.partCount());
            assertThat((int) row.get("lo_suppkey")).isBetween(1, SMALL.supplierCount());
            assertThat((int) row.get("lo_custkey")).isBetween(1, SMALL.customerCount());
            assertThat((int) row.get("lo_custkey") % 3).isNotZero();
            assertThat(row.get("lo_extendedprice")).isEqualTo(price * quantity);
            assertThat(revenue).isEqualTo((int) ((long) price * quantity * (100 - discount) / 100));
            assertThat(row.get("lo_supplycost")).isEqualTo(6 * price / 10);
            assertThat(row.get("lo_shippriority")).isEqualTo("0");
            assertThat(days).contains(row.get("lo_orderdate"), row.get("lo_commitdate"));
            assertThat((int) row.get("lo_commitdate")).isGreaterThan((int) row.get("lo_orderdate"));
            int order = (int) row.get("lo_orderkey");
            totals.merge(order, revenue * (100L + tax) / 100, Long::sum);
            statedTotals.put(order, (int) row.get("lo_ordtotalprice"));
        }
        assertThat(statedTotals)
                .allSatisfy((order, total) -> assertThat((long) total).isEqualTo(totals.get(order)));
    }

    @Test
    void hierarchiesNest() throws Exception {
        for (Map<String, Object> part : rows(SMALL, SsbTable.PART)) {
            String brand = (String) part.get("p_brand1");
            assertThat(brand).matches("MFGR#[1-5][1-5](0[1-9]|[123][0-9]|40)");
            assertThat(brand).startsWith((String) part.get("p_category"));
            assertThat((String) part.get("p_category")).startsWith((String) part.get("p_mfgr"));
            assertThat((String) part.get("p_name")).startsWith(part.get("p_color") + " ");
        }
        Map<Object, Object> regionOfNation = new HashMap<>();
        for (Map<String, Object> customer : rows(SMALL, SsbTable.CUSTOMER)) {
            String nation = (String) customer.get("c_nation");
            String city = (String) customer.get("c_city");
            assertThat(city).hasSize(10).matches(".{9}[0-9]");
            assertThat(String.format("%-9.9s", nation)).isEqualTo(city.substring(0, 9));
            assertThat(regionOfNation.merge(nation, customer.get("c_region"), (old, _) -> old))
                    .isEqualTo(customer.get("c_region"));
            assertThat((String) customer.get("c_phone")).matches("[1-3][0-9]-[0-9]{3}-[0-9]{3}-[0-9]{4}");
        }
        assertThat(regionOfNation).hasSize(25).containsEntry("CHINA", "ASIA").containsEntry("UNITED STATES", "AMERICA");
        assertThat(new HashSet<>(regionOfNation.values())).hasSize(5);
    }

    @Test
    void daysAreTheCalendars() throws Exception {
        List<Map<String, Object>> days = rows(SMALL, SsbTable.DATE);
        // From the paper's own example row, and by a calendar.
        assertThat(days.getFirst())
                .containsEntry("d_datekey", 19920101)
                .containsEntry("d_date", "January 1, 1992")
                .containsEntry("d_dayofweek", "Wednesday")
                .containsEntry("d_daynuminweek", 4)
                .containsEntry("d_yearmonth", "Jan1992")
                .containsEntry("d_weeknuminyear", 1)
                .containsEntry("d_sellingseason", "Winter")
                .containsEntry("d_holidayfl", 1)
                .containsEntry("d_weekdayfl", 1);
        assertThat(days.getLast())
                .containsEntry("d_datekey", 19981230)
                .containsEntry("d_yearmonthnum", 199812)
                .containsEntry("d_daynuminyear", 364)
                .containsEntry("d_weeknuminyear", 52)
                .containsEntry("d_lastdayinmonthfl", 0);
        assertThat(days.get(59)).containsEntry("d_datekey", 19920229).containsEntry("d_lastdayinmonthfl", 1);
        assertThat(days.stream().filter(day -> (int) day.get("d_year") == 1996)).hasSize(366);
    }

    @Test
    void selectivitiesAreThePapers() throws Exception {
        SsbScale scale = new SsbScale(0.1);
        Map<Object, Map<String, Object>> days = byKey(scale, SsbTable.DATE);
        List<Map<String, Object>> lines = rows(scale, SsbTable.LINEORDER);
        double year =
                share(lines, row -> (int) days.get(row.get("lo_orderdate")).get("d_year") == 1993);
        double discount = share(lines, row -> (int) row.get("lo_discount") >= 1 && (int) row.get("lo_discount") <= 3);
        double quantity = share(lines, row -> (int) row.get("lo_quantity") < 25);
        // Table 3 of the paper, with the true 2,406 days of orders for "1/7".
        assertThat(year).isEqualTo(365.0 / 2406, within(0.01));
        assertThat(discount).isEqualTo(3.0 / 11, within(0.01));
        assertThat(quantity).isEqualTo(0.48, within(0.01));
        List<Map<String, Object>> parts = rows(scale, SsbTable.PART);
        assertThat(share(parts, row -> row.get("p_category").equals("MFGR#12"))).isEqualTo(1 / 25.0, within(0.01));
        assertThat(share(parts, row -> row.get("p_mfgr").equals("MFGR#1"))).isEqualTo(1 / 5.0, within(0.02));
        List<Map<String, Object>> customers = rows(scale, SsbTable.CUSTOMER);
        assertThat(share(customers, row -> row.get("c_region").equals("ASIA"))).isEqualTo(1 / 5.0, within(0.03));
        assertThat(share(customers, row -> row.get("c_nation").equals("UNITED STATES")))
                .isEqualTo(1 / 25.0, within(0.015));
        Map<Object, Map<String, Object>> customerByKey = byKey(scale, SsbTable.CUSTOMER);
        assertThat(share(
                        lines,
                        row -> customerByKey
                                .get(row.get("lo_custkey"))
                                .get("c_region")
                                .equals("AMERICA")))
                .isEqualTo(1 / 5.0, within(0.03));
    }

    @Test
    void failingSinkFreesWhatWasMade() {
        AtomicInteger seen = new AtomicInteger();
        assertThatThrownBy(() -> new SsbGenerator(new SsbScale(0.1)).generate(SsbTable.LINEORDER, 2, _ -> {
                    seen.incrementAndGet();
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk full");
        assertThat(seen).hasValue(1);
    }

    @Test
    void wrongScalesAreRefused() {
        for (double scaleFactor : new double[] {0, -1, Double.NaN, 301}) {
            assertThatThrownBy(() -> new SsbScale(scaleFactor)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void copyBytesAreWhatPostgresReads() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CopyBinaryEncoder encoder = new CopyBinaryEncoder(bytes);
        new SsbGenerator(SMALL).generate(SsbTable.SUPPLIER, 1, encoder::write);
        encoder.finish();
        byte[] copy = bytes.toByteArray();
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(copy, 0, 19)).isEqualTo("5047434f50590aff0d0a00" + "00000000" + "00000000");
        // 7 fields; s_suppkey = 1; s_name of 18 bytes.
        assertThat(hex.formatHex(copy, 19, 33)).isEqualTo("0007" + "00000004" + "00000001" + "00000012");
        assertThat(new String(copy, 33, 18, StandardCharsets.UTF_8)).isEqualTo("Supplier#000000001");
        assertThat(hex.formatHex(copy, copy.length - 2, copy.length)).isEqualTo("ffff");
    }

    @Test
    void queriesAreThirteen() {
        assertThat(SsbQueries.NAMES).hasSize(13);
        assertThat(SsbQueries.NAMES)
                .allSatisfy(name -> assertThat(SsbQueries.sql(name))
                        .startsWith("select ")
                        .doesNotContain(";")
                        .contains("lineorder"));
        assertThatThrownBy(() -> SsbQueries.sql("5.1")).isInstanceOf(IllegalArgumentException.class);
    }

    private static double share(List<Map<String, Object>> rows, Predicate<Map<String, Object>> condition) {
        return (double) rows.stream().filter(condition).count() / rows.size();
    }

    private static Set<Object> column(SsbScale scale, SsbTable table, String name) throws IOException {
        Set<Object> values = new HashSet<>();
        rows(scale, table).forEach(row -> values.add(row.get(name)));
        return values;
    }

    private static Map<Object, Map<String, Object>> byKey(SsbScale scale, SsbTable table) throws IOException {
        Map<Object, Map<String, Object>> byKey = new HashMap<>();
        rows(scale, table).forEach(row -> byKey.put(row.get(table.primaryKey().getFirst()), row));
        return byKey;
    }

    private static List<Map<String, Object>> rows(SsbScale scale, SsbTable table) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        new SsbGenerator(scale).generate(table, 2, batch -> {
            for (int row = 0; row < batch.rowCount(); row++) {
                Map<String, Object> values = HashMap.newHashMap(batch.columns().size());
                for (int column = 0; column < batch.columns().size(); column++) {
                    values.put(table.schema().field(column).name(), value(batch.column(column), row));
                }
                rows.add(values);
            }
        });
        return rows;
    }

    private static Object value(Column column, int row) {
        return switch (column) {
            case FixedColumn fixed -> fixed.values().get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L);
            case DictionaryColumn words -> text(words.dictionary().values(), words.code(row));
            case Utf8Column texts -> text(texts, row);
            default -> throw new AssertionError(column.type());
        };
    }

    private static String text(Utf8Column texts, int row) {
        return new String(texts.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static String digest(SsbScale scale, SsbTable table, int threads) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        new SsbGenerator(scale).generate(table, threads, batch -> update(digest, batch));
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void update(MessageDigest digest, Batch batch) {
        for (Column column : batch.columns()) {
            for (int row = 0; row < batch.rowCount(); row++) {
                digest.update((value(column, row) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
