"""Makes nested.arrow, and the same rows as Parquet files: python nested.py FOLDER, with pyarrow and duckdb.

Rows are random, of a seed that is fixed: NULLs, empty lists and values at every level.
"""

import datetime
import decimal
import random
import sys

import duckdb
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

folder = sys.argv[1]
chance = random.Random(11)
ROWS = 60
DAY = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)


def words():
    return chance.choice(["", "a", "NULL", "x, y", '"q"', "\\", "{b}", "(c)", "é", "a text of more than sixteen bytes"])


LEAVES = {
    "bool": (pa.bool_(), lambda: chance.random() < 0.5),
    "i8": (pa.int8(), lambda: chance.randrange(-128, 128)),
    "u16": (pa.uint16(), lambda: chance.randrange(0, 65536)),
    "i32": (pa.int32(), lambda: chance.randrange(-(2**31), 2**31)),
    "u32": (pa.uint32(), lambda: chance.randrange(0, 2**32)),
    "i64": (pa.int64(), lambda: chance.randrange(-(2**63), 2**63)),
    "u64": (pa.uint64(), lambda: chance.randrange(0, 2**64)),
    "f32": (pa.float32(), lambda: chance.choice([0.5, -1.25, float("nan"), float("inf")])),
    "f64": (pa.float64(), lambda: chance.choice([0.1, -1e300, float("nan"), float("-inf")])),
    "d9": (pa.decimal128(9, 2), lambda: decimal.Decimal(chance.randrange(-(10**9) + 1, 10**9)).scaleb(-2)),
    "d38": (pa.decimal128(38, 10), lambda: decimal.Decimal(chance.randrange(-(10**27), 10**27)).scaleb(-10)),
    "date": (pa.date32(), lambda: DAY.date() + datetime.timedelta(chance.randrange(-40000, 40000))),
    "t": (pa.time64("us"), lambda: DAY.time()),
    "ts": (pa.timestamp("us"), lambda: DAY - datetime.timedelta(chance.randrange(-40000, 40000))),
    "tsz": (pa.timestamp("ms", "UTC"), lambda: chance.randrange(-(10**12), 10**12)),
    "s": (pa.string(), words),
    "by": (pa.binary(), lambda: words().encode()),
    "coded": (pa.dictionary(pa.int32(), pa.string()), lambda: chance.choice(["one", "two"])),
}


def maybe(make, nulls=0.2):
    return None if chance.random() < nulls else make()


def listed(make, most=4):
    return lambda: maybe(lambda: [maybe(make) for _ in range(chance.randrange(most))])


def struct(**members):
    return lambda: maybe(lambda: {name: maybe(make) for name, make in members.items()})


def mapped(make):
    return lambda: maybe(lambda: [(key, maybe(make)) for key in chance.sample("abcd", chance.randrange(4))])


i32, text = LEAVES["i32"][1], LEAVES["s"][1]
pair = pa.struct([("x", pa.int32()), ("y", pa.string())])
COLUMNS = {f"l_{name}": (pa.list_(kind), listed(make)) for name, (kind, make) in LEAVES.items()} | {
    "all": (
        pa.struct([(name, kind) for name, (kind, _) in LEAVES.items()]),
        struct(**{name: make for name, (_, make) in LEAVES.items()}),
    ),
    "ll": (pa.list_(pa.list_(pa.int32())), listed(listed(i32))),
    "lll": (pa.list_(pa.list_(pa.list_(pa.string()))), listed(listed(listed(text, 3), 3), 3)),
    "large": (pa.large_list(pa.int32()), listed(i32)),
    "fixed": (pa.list_(pa.int32(), 2), lambda: maybe(lambda: [maybe(i32), maybe(i32)])),
    "ls": (pa.list_(pair), listed(struct(x=i32, y=text))),
    "sl": (pa.struct([("n", pa.int32()), ("l", pa.list_(pa.string()))]), struct(n=i32, l=listed(text))),
    "m": (pa.map_(pa.string(), pa.int32()), mapped(i32)),
    "ml": (pa.map_(pa.string(), pa.list_(pair)), mapped(listed(struct(x=i32, y=text)))),
    "lm": (pa.list_(pa.map_(pa.string(), pa.int32())), listed(mapped(i32))),
    "ss": (pa.struct([("i", pa.struct([("j", pair)]))]), struct(i=struct(j=struct(x=i32, y=text)))),
    "req": (
        pa.struct([pa.field("x", pa.int32(), nullable=False), pa.field("y", pa.string())]),
        lambda: {"x": i32(), "y": maybe(text)},
    ),
}
fields = [pa.field("id", pa.int32(), nullable=False)]
fields += [pa.field(name, kind, nullable=name != "req") for name, (kind, _) in COLUMNS.items()]
table = pa.table(
    [pa.array(range(ROWS), pa.int32())]
    + [pa.array([make() for _ in range(ROWS)], kind) for kind, make in COLUMNS.values()],
    schema=pa.schema(fields),
)
with ipc.new_file(f"{folder}/nested.arrow", table.schema) as out:
    out.write_table(table)
# Without the schema that pyarrow leaves for itself: it is nobody else's.
common = {"store_schema": False}
pq.write_table(table, f"{folder}/nested-snappy.parquet", row_group_size=17, **common)
pq.write_table(
    table, f"{folder}/nested-pages.parquet", compression="zstd", data_page_version="2.0", data_page_size=64,
    write_batch_size=4, use_dictionary=False, **common)
pq.write_table(
    table, f"{folder}/nested-old.parquet", compression="gzip", use_compliant_nested_type=False, version="1.0", **common)
duckdb.sql(f"SET threads = 1; COPY (SELECT * FROM read_parquet('{folder}/nested-pages.parquet')) TO "
           f"'{folder}/nested-duckdb.parquet' (FORMAT parquet, COMPRESSION zstd)")
