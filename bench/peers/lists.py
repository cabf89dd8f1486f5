"""A table of lists and structs as pyarrow writes it: python lists.py ROWS FOLDER makes FOLDER/b.arrow, two record batches a million rows.

Four elements a row on average: a of integers below 100, n the same with a tenth of them NULL, s of texts of 1,000 words, v a struct of an integer and
a word, g below 1,000. o are one and a half orders a row: structs of a number k, a struct at of an integer x below 100, and two items on average, each a
struct of an integer p below 100 and a word c.
"""

import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.ipc

BATCH_ROWS = 500_000
WORDS = pa.array([f"w{number:03}" for number in range(1000)])


def lists(offsets, elements):
    return pa.ListArray.from_arrays(pa.array(offsets), elements)


def counted(chance, rows, most):
    return np.concatenate(([0], np.cumsum(chance.integers(0, most + 1, rows)))).astype(np.int32)


def orders(chance, rows):
    of_rows = counted(chance, rows, 3)
    count = int(of_rows[-1])
    of_orders = counted(chance, count, 4)
    items = int(of_orders[-1])
    item = pa.StructArray.from_arrays(
        [pa.array(chance.integers(0, 100, items).astype(np.int32)), WORDS.take(pa.array(chance.integers(0, 1000, items)))],
        names=["p", "c"])
    at = pa.StructArray.from_arrays([pa.array(chance.integers(0, 100, count).astype(np.int32))], names=["x"])
    order = pa.StructArray.from_arrays([pa.array(np.arange(count)), at, lists(of_orders, item)], names=["k", "at", "items"])
    return lists(of_rows, order)


def batch(chance, rows):
    offsets = counted(chance, rows, 8)
    count = int(offsets[-1])
    numbers = chance.integers(0, 100, count).astype(np.int32)
    words = WORDS.take(pa.array(chance.integers(0, 1000, count)))
    values = pa.array(chance.integers(0, 1000, rows).astype(np.int32))
    struct = pa.StructArray.from_arrays([values, WORDS.take(pa.array(chance.integers(0, 1000, rows)))], names=["a", "b"])
    return pa.record_batch({
        "g": pa.array(chance.integers(0, 1000, rows).astype(np.int32)),
        "a": lists(offsets, pa.array(numbers)),
        "n": lists(offsets, pa.array(numbers, mask=chance.random(count) < 0.1)),
        "s": lists(offsets, words),
        "v": struct,
        "o": orders(chance, rows),
    })


def main():
    rows, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    chance = np.random.default_rng(7)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / "b.arrow.tmp"
    out = None
    for first in range(0, rows, BATCH_ROWS):
        made = batch(chance, min(BATCH_ROWS, rows - first))
        out = out or pa.ipc.new_file(part, made.schema)
        out.write_batch(made)
    out.close()
    part.rename(folder / "b.arrow")


main()
