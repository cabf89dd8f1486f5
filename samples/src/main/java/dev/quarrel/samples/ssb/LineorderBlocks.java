package dev.quarrel.samples.ssb;

import java.time.LocalDate;

/// The fact table: blocks of whole orders, so that an order's total is known where its rows are made.
final class LineorderBlocks implements Blocks {
    private static final int ORDERS_PER_BLOCK = 32_768;
    private static final int MAX_LINES = 7;
    /// Positions in a random stream that an order's lines may take.
    private static final int LINE_STRIDE = 8;
    /// The last order is 151 days before the end of 1998, as in TPC-H, so that every commit date is in the table
    /// of days.
    private static final LocalDate LAST_ORDER_DAY = LocalDate.of(1998, 8, 2);

    private static final int MIN_COMMIT_DAYS = 30;
    private static final int MAX_COMMIT_DAYS = 90;

    private final SsbScale scale;
    private final int[] dateKeys = new int[SsbScale.DATE_COUNT];
    private final int orderDays;
    private final CounterRandom lineCounts;
    private final CounterRandom customers;
    private final CounterRandom orderDates;
    private final CounterRandom priorities;
    private final CounterRandom parts;
    private final CounterRandom suppliers;
    private final CounterRandom quantities;
    private final CounterRandom discounts;
    private final CounterRandom taxes;
    private final CounterRandom commitDays;
    private final CounterRandom shipModes;

    LineorderBlocks(SsbScale scale) {
        this.scale = scale;
        for (int day = 0; day < dateKeys.length; day++) {
            dateKeys[day] = DimensionBlocks.dateKey(DimensionBlocks.FIRST_DAY.plusDays(day));
        }
        orderDays = Math.toIntExact(LAST_ORDER_DAY.toEpochDay() - DimensionBlocks.FIRST_DAY.toEpochDay() + 1);
        lineCounts = random("lines");
        customers = random("customer");
        orderDates = random("orderdate");
        priorities = random("priority");
        parts = random("part");
        suppliers = random("supplier");
        quantities = random("quantity");
        discounts = random("discount");
        taxes = random("tax");
        commitDays = random("commit");
        shipModes = random("shipmode");
    }

    private CounterRandom random(String column) {
        return new CounterRandom(scale.seed(), SsbTable.LINEORDER.name() + "." + column);
    }

    @Override
    public int blockCount() {
        return Blocks.blockCount(scale.orderCount(), ORDERS_PER_BLOCK);
    }

    private long firstOrder(int block) {
        return (long) block * ORDERS_PER_BLOCK;
    }

    private long endOrder(int block) {
        return Math.min(scale.orderCount(), firstOrder(block) + ORDERS_PER_BLOCK);
    }

    @Override
    public int rowCount(int block) {
        int rows = 0;
        for (long order = firstOrder(block); order < endOrder(block); order++) {
            rows += lineCount(order);
        }
        return rows;
    }

    private int lineCount(long order) {
        return lineCounts.between(order, 1, MAX_LINES);
    }

    @Override
    public void fill(int block, BlockColumns columns) {
        Rows rows = rows(block);
        columns.integers(rows.orderKey)
                .integers(rows.lineNumber)
                .integers(rows.customerKey)
                .integers(rows.partKey)
                .integers(rows.supplierKey)
                .integers(rows.orderDate)
                .words(Words.PRIORITIES, index -> rows.priority[index])
                .words(Words.SHIP_PRIORITIES, _ -> 0)
                .integers(rows.quantity)
                .integers(rows.extendedPrice)
                .integers(rows.orderTotalPrice)
                .integers(rows.discount)
                .integers(rows.revenue)
                .integers(rows.supplyCost)
                .integers(rows.tax)
                .integers(rows.commitDate)
                .words(Words.SHIP_MODES, index -> rows.shipMode[index]);
    }

    Rows rows(int block) {
        Rows rows = new Rows(rowCount(block));
        int row = 0;
        for (long order = firstOrder(block); order < endOrder(block); order++) {
            row = fillOrder(order, rows, row);
        }
        return rows;
    }

    private int fillOrder(long order, Rows rows, int firstRow) {
        int lines = lineCount(order);
        int orderKey = Math.toIntExact(sparseKey(order));
        int customer = buyingCustomer(customers.between(order, 1, scale.customerCount()));
        int orderDay = orderDates.between(order, 0, orderDays - 1);
        byte priority = (byte) priorities.between(order, 0, Words.PRIORITIES.size() - 1);
        long totalPrice = 0;
        for (int line = 0; line < lines; line++) {
            int row = firstRow + line;
            long position = order * LINE_STRIDE + line;
            int part = parts.between(position, 1, scale.partCount());
            int quantity = quantities.between(position, 1, 50);
            int discount = discounts.between(position, 0, 10);
            int tax = taxes.between(position, 0, 8);
            int price = partPrice(part);
            int extendedPrice = price * quantity;
            int revenue = (int) (extendedPrice * (100L - discount) / 100);
            totalPrice += revenue * (100L + tax) / 100;
            rows.orderKey[row] = orderKey;
            rows.lineNumber[row] = line + 1;
            rows.customerKey[row] = customer;
            rows.partKey[row] = part;
            rows.supplierKey[row] = suppliers.between(position, 1, scale.supplierCount());
            rows.orderDate[row] = dateKeys[orderDay];
            rows.priority[row] = priority;
            rows.quantity[row] = quantity;
            rows.extendedPrice[row] = extendedPrice;
            rows.discount[row] = discount;
            rows.revenue[row] = revenue;
            rows.supplyCost[row] = 6 * price / 10;
            rows.tax[row] = tax;
            rows.commitDate[row] = dateKeys[orderDay + commitDays.between(position, MIN_COMMIT_DAYS, MAX_COMMIT_DAYS)];
            rows.shipMode[row] = (byte) shipModes.between(position, 0, Words.SHIP_MODES.size() - 1);
        }
        for (int line = 0; line < lines; line++) {
            rows.orderTotalPrice[firstRow + line] = Math.toIntExact(totalPrice);
        }
        return firstRow + lines;
    }

    /// TPC-H uses the first eight of every 32 keys.
    static long sparseKey(long order) {
        return (order >>> 3 << 5) + (order & 7) + 1;
    }

    /// Every third customer never buys, as in TPC-H.
    private int buyingCustomer(int customer) {
        if (customer % 3 != 0) {
            return customer;
        }
        return customer < scale.customerCount() ? customer + 1 : customer - 1;
    }

    /// A part's price in cents, which is a function of its key.
    static int partPrice(int partKey) {
        return 90_000 + partKey / 10 % 20_001 + partKey % 1_000 * 100;
    }

    /// One block's values while it is made.
    static final class Rows {
        final int[] orderKey;
        final int[] lineNumber;
        final int[] customerKey;
        final int[] partKey;
        final int[] supplierKey;
        final int[] orderDate;
        final byte[] priority;
        final int[] quantity;
        final int[] extendedPrice;
        final int[] orderTotalPrice;
        final int[] discount;
        final int[] revenue;
        final int[] supplyCost;
        final int[] tax;
        final int[] commitDate;
        final byte[] shipMode;

        Rows(int count) {
            orderKey = new int[count];
            lineNumber = new int[count];
            customerKey = new int[count];
            partKey = new int[count];
            supplierKey = new int[count];
            orderDate = new int[count];
            priority = new byte[count];
            quantity = new int[count];
            extendedPrice = new int[count];
            orderTotalPrice = new int[count];
            discount = new int[count];
            revenue = new int[count];
            supplyCost = new int[count];
            tax = new int[count];
            commitDate = new int[count];
            shipMode = new byte[count];
        }
    }
}
