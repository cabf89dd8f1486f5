package dev.quarrel.core.cpu.rows;

import java.util.Arrays;

/// A stable merge sort of numbers by what they stand for.
final class TieSort {
    private static final int INSERTION_ROWS = 12;

    /// A longer run looks whether the query is to stop.
    private static final int STOP_CHECK_ROWS = 1 << 12;

    private TieSort() {}

    /// The order of what two numbers stand for.
    @FunctionalInterface
    interface Order {
        int compare(int one, int other);
    }

    static void sort(int[] numbers, int from, int to, Order order, Runnable stopCheck) {
        if (to - from <= INSERTION_ROWS) {
            insert(numbers, from, to, order);
        } else {
            int[] copy = Arrays.copyOfRange(numbers, from, to);
            sort(copy, numbers, 0, to - from, from, order, stopCheck);
        }
    }

    /// Sorts [from, to) of `source` into `target`, where it stands `shift` further; both hold the same numbers.
    private static void sort(int[] source, int[] target, int from, int to, int shift, Order order, Runnable stopCheck) {
        if (to - from >= STOP_CHECK_ROWS) {
            stopCheck.run();
        }
        if (to - from <= INSERTION_ROWS) {
            insert(target, from + shift, to + shift, order);
            return;
        }
        int middle = from + to >>> 1;
        sort(target, source, from + shift, middle + shift, -shift, order, stopCheck);
        sort(target, source, middle + shift, to + shift, -shift, order, stopCheck);
        int left = from;
        int right = middle;
        for (int at = from + shift; at < to + shift; at++) {
            boolean takeLeft = right >= to || left < middle && order.compare(source[left], source[right]) <= 0;
            target[at] = takeLeft ? source[left++] : source[right++];
        }
    }

    private static void insert(int[] numbers, int from, int to, Order order) {
        for (int index = from + 1; index < to; index++) {
            int number = numbers[index];
            int place = index;
            while (place > from && order.compare(numbers[place - 1], number) > 0) {
                numbers[place] = numbers[place - 1];
                place--;
            }
            numbers[place] = number;
        }
    }
}
