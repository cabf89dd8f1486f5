package dev.quarrel.export.snapshot;

import java.util.ArrayList;
import java.util.List;

/// A run of a table's pages, which one worker reads by one COPY.
///
/// @param index its place among the table's ranges, from 0
/// @param firstPage the first page
/// @param endPage the page after the last, or [#OPEN] for "to the end, wherever that is"
public record PageRange(int index, long firstPage, long endPage) {
    public static final long OPEN = -1;

    // 1 MiB: below that a COPY's round trip costs more than its pages.
    private static final long MIN_PAGES = 128;

    // 128 MiB: so that workers end at nearly the same time, and a progress bar moves.
    private static final long MAX_PAGES = 16_384;

    private static final int RANGES_PER_WORKER = 8;

    /// Cuts a table of about `pageCount` pages for `workers` readers: the pages it has grown by since are in the last
    /// range.
    public static List<PageRange> cut(long pageCount, int workers) {
        if (workers == 1 || pageCount <= MIN_PAGES) {
            return List.of(whole());
        }
        long wanted = (pageCount + (long) workers * RANGES_PER_WORKER - 1) / ((long) workers * RANGES_PER_WORKER);
        long pages = Math.clamp(wanted, MIN_PAGES, MAX_PAGES);
        List<PageRange> ranges = new ArrayList<>();
        for (long first = 0; first < pageCount; first += pages) {
            boolean last = first + pages >= pageCount;
            ranges.add(new PageRange(ranges.size(), first, last ? OPEN : first + pages));
        }
        return ranges;
    }

    /// All pages.
    public static PageRange whole() {
        return new PageRange(0, 0, OPEN);
    }

    public boolean isWhole() {
        return firstPage == 0 && endPage == OPEN;
    }

    /// The condition on `ctid`, with its WHERE; nothing for a whole table.
    public String where() {
        if (isWhole()) {
            return "";
        }
        String from = " WHERE ctid >= '(" + firstPage + ",0)'::tid";
        return endPage == OPEN ? from : from + " AND ctid < '(" + endPage + ",0)'::tid";
    }
}
