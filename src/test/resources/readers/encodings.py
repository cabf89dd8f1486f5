"""Writes columns in every encoding that pyarrow has, each beside the same values in a plain one (NAME and NAME_plain),
in batches, slices and with either compression: encodings.py FOLDER SEED"""
import datetime
import decimal
import random
import sys

import pyarrow as pa

folder, seed = sys.argv[1], int(sys.argv[2])
rng = random.Random(seed)
ROWS = 500


def maybe(value):
    return None if rng.random() < 0.2 else value


def values(type_):
    if pa.types.is_decimal(type_):
        return [maybe(decimal.Decimal(rng.randint(-10**6, 10**6)).scaleb(-type_.scale)) for _ in range(ROWS)]
    if pa.types.is_date(type_):
        return [maybe(datetime.date(2000, 1, 1) + datetime.timedelta(rng.randint(0, 9999))) for _ in range(ROWS)]
    if pa.types.is_timestamp(type_):
        return [maybe(datetime.datetime(2000, 1, 1) + datetime.timedelta(0, rng.randint(0, 10**8))) for _ in range(ROWS)]
    if pa.types.is_boolean(type_):
        return [maybe(rng.random() < 0.5) for _ in range(ROWS)]
    if pa.types.is_floating(type_):
        return [maybe(rng.randint(-1000, 1000) / 8) for _ in range(ROWS)]
    if pa.types.is_integer(type_):
        return [maybe(rng.randint(-100, 100)) for _ in range(ROWS)]
    if pa.types.is_binary(type_) or pa.types.is_fixed_size_binary(type_):
        return [maybe(bytes(rng.randint(0, 255) for _ in range(4))) for _ in range(ROWS)]
    if pa.types.is_list(type_):
        return [maybe([maybe(rng.randint(0, 9)) for _ in range(rng.randint(0, 4))]) for _ in range(ROWS)]
    if pa.types.is_struct(type_):
        return [maybe({"a": maybe(rng.randint(0, 9)), "b": maybe(rng.choice(["", "x", "y, z"]))}) for _ in range(ROWS)]
    return [maybe(rng.choice(["", "a", "a longer text than twelve bytes", '"q"'])) for _ in range(ROWS)]


def few(plain):
    """The same of few different values, so that runs and dictionaries have some work."""
    picks = sorted(rng.randrange(len(plain)) for _ in range(ROWS))
    return plain.take(pa.array([picks[i // 7 * 7] if i // 7 * 7 < ROWS else 0 for i in range(ROWS)]))


def runs(plain, type_):
    ends, kept = [], []
    listed = plain.to_pylist()
    for row in range(ROWS):
        if row + 1 == ROWS or listed[row] != listed[row + 1] or rng.random() < 0.1:
            ends.append(row + 1)
            kept.append(row)
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, type_), plain.take(pa.array(kept)))


def coded(plain, type_):
    entries = 100
    codes = [maybe(rng.randrange(entries)) for _ in range(ROWS)]
    chosen = plain.slice(3, entries)
    return pa.DictionaryArray.from_arrays(pa.array(codes, type_), chosen), chosen.take(pa.array(codes, pa.int64()))


columns = {}
types = {
    "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "int64": pa.int64(), "real": pa.float32(),
    "double": pa.float64(), "dec": pa.decimal128(20, 3), "dec32": pa.decimal32(9, 2), "date": pa.date32(),
    "date64": pa.date64(), "ms": pa.timestamp("ms"), "us": pa.timestamp("us"), "bool": pa.bool_(), "text": pa.string(),
    "view": pa.string_view(), "large": pa.large_string(), "bytes": pa.binary(), "fixed": pa.binary(4),
    "list": pa.list_(pa.int32()), "struct": pa.struct([("a", pa.int32()), ("b", pa.string())]),
}
index_types = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
for number, (name, type_) in enumerate(types.items()):
    plain = pa.array(values(type_), type_)
    if name != "view":
        repeated = few(plain)
        columns["run_" + name] = runs(repeated, [pa.int16(), pa.int32(), pa.int64()][number % 3])
        columns["run_" + name + "_plain"] = repeated
        code, same = coded(plain, index_types[number % len(index_types)])
        columns["code_" + name] = code
        columns["code_" + name + "_plain"] = same
wide = values(pa.decimal128(30, 5))
columns["wide"] = pa.array(wide, pa.decimal256(60, 5))
columns["wide_plain"] = pa.array(wide, pa.decimal128(38, 5))
for name, view, plain in (("lv", pa.list_view, pa.list_), ("llv", pa.large_list_view, pa.large_list)):
    lists = values(pa.list_(pa.int32()))
    columns[name] = pa.array(lists, view(pa.int32()))
    columns[name + "_plain"] = pa.array(lists, plain(pa.int32()))
numbers, texts = pa.array(values(pa.int32()), pa.int32()), pa.array(values(pa.string()), pa.string())
which = [rng.randrange(2) for _ in range(ROWS)]
rows = [None if (numbers if w == 0 else texts)[i].as_py() is None
        else {"n": numbers[i].as_py(), "s": None} if w == 0 else {"n": None, "s": texts[i].as_py()}
        for i, w in enumerate(which)]
columns["sparse"] = pa.UnionArray.from_sparse(pa.array(which, pa.int8()), [numbers, texts], ["n", "s"])
columns["sparse_plain"] = pa.array(rows, pa.struct([("n", pa.int32()), ("s", pa.string())]))
columns["dense"] = pa.UnionArray.from_dense(
    pa.array(which, pa.int8()), pa.array(range(ROWS), pa.int32()), [numbers, texts], ["n", "s"])
columns["dense_plain"] = columns["sparse_plain"]
# Below a NULL struct is whatever its writer left there.
hidden = [rng.random() < 0.3 for _ in range(ROWS)]
codes = [99 if hide else rng.randrange(2) for hide in hidden]
times = [-5 if hide else rng.randrange(10**6) for hide in hidden]
columns["hidden"] = pa.StructArray.from_arrays(
    [pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(["x", "y z"]), safe=False),
     pa.array(times, pa.int64()).view(pa.time64("us"))], names=["s", "t"], mask=pa.array(hidden))
columns["hidden_plain"] = pa.StructArray.from_arrays(
    [pa.array([["x", "y z"][code % 2] for code in codes]),
     pa.array([abs(time) for time in times], pa.int64()).view(pa.time64("us"))], names=["s", "t"], mask=pa.array(hidden))

whole = pa.table(columns)


def write(name, table, open_, rows, **options):
    with open_(f"{folder}/{name}", table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in table.to_batches(max_chunksize=rows):
            writer.write_batch(batch)


write("whole.arrow", whole, pa.ipc.new_file, ROWS)
write("stream.arrow", whole, pa.ipc.new_stream, 111)
write("batches.arrow", whole, pa.ipc.new_file, 77)
write("slice.arrow", whole.slice(33, 222), pa.ipc.new_file, 50)
write("lz4.arrow", whole, pa.ipc.new_file, 100, compression="lz4")
write("zstd.arrow", whole, pa.ipc.new_stream, 100, compression="zstd")
print(" ".join(name for name in columns if not name.endswith("_plain")))
