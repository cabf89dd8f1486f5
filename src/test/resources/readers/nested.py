"""Random tables of structs and lists, in random encodings, files and batches.

python nested.py FOLDER SEED TABLES: writes FOLDER/tN/*.arrow, and prints statements (Q) with their rows in any order (R): fields between
U+001F, U+2400 for NULL.
"""

import os
import random
import sys

import pyarrow as pa
import pyarrow.ipc as ipc

root, seed, tables = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
VALUES = {
    "i": lambda: chance.randrange(-5, 6),
    "s": lambda: chance.choice(["", "a", "b,c", "NULL", '"x"', "é", "{}"]),
    "f": lambda: chance.choice([0.5, -1.0, 2.25]),
    "b": lambda: chance.random() < 0.5,
}


def value(kind):
    return None if chance.random() < 0.15 else VALUES[kind]()


def values(kind, has_nulls):
    if chance.random() < 0.15:
        return None
    made = [value(kind) for _ in range(chance.randrange(0, 4))]
    return made if has_nulls else [each for each in made if each is not None]


def struct(has_nulls):
    if chance.random() < 0.2:
        return None
    inner = None if chance.random() < 0.3 else {"f": value("f"), "b": value("b")}
    return {"x": value("i"), "y": value("s"), "z": inner, "l": values("i", has_nulls)}


def items():
    if chance.random() < 0.2:
        return None
    return [None if chance.random() < 0.2 else {"p": value("i"), "q": value("s")} for _ in range(chance.randrange(3))]


def row(number, has_nulls):
    pair = None if chance.random() < 0.3 else [chance.randrange(9), chance.randrange(9)]
    lists = {kind + "s": values(kind, has_nulls) for kind in VALUES}
    pairs = None if chance.random() < 0.2 else [(key, value("i")) for key in chance.sample("abc", chance.randrange(3))]
    return {"id": number, **lists, "v": struct(has_nulls), "pair": pair, "items": items(), "m": pairs}


def text_type(is_coded):
    return pa.dictionary(pa.int8(), pa.string()) if is_coded else chance.choice(
        [pa.string(), pa.large_string(), pa.string_view()])


def schema(integer):
    listed = chance.choice([pa.list_, pa.large_list])
    inner = pa.struct([("f", pa.float64()), ("b", pa.bool_())])
    return pa.schema([
        ("id", pa.int32()), ("is", listed(integer)), ("ss", listed(text_type(chance.random() < 0.3))),
        ("fs", listed(pa.float64())), ("bs", listed(pa.bool_())),
        ("v", pa.struct([("x", integer), ("y", text_type(chance.random() < 0.3)), ("z", inner), ("l", listed(integer))])),
        ("pair", pa.list_(pa.int32(), 2)),
        ("items", listed(pa.struct([("p", integer), ("q", text_type(False))]))),
        ("m", pa.map_(pa.string(), integer)),
    ])


def write(folder):
    os.makedirs(folder)
    integers = [pa.int16(), pa.int32(), pa.int64()]
    integer = chance.choice(integers)
    is_one_type = chance.random() < 0.7
    has_nulls = chance.random() < 0.5
    rows = []
    for file in range(chance.choice([1, 1, 2, 3])):
        count = chance.choice([0, 1, 7, 40, 200]) if file else chance.choice([5, 70, 300])
        own = [row(1000 * file + number, has_nulls) for number in range(count)]
        rows += own
        fields = schema(integer if is_one_type else chance.choice(integers))
        options = ipc.IpcWriteOptions(compression=chance.choice([None, None, "lz4", "zstd"]))
        with ipc.new_file(f"{folder}/{file}.arrow", fields, options=options) as out:
            table = pa.Table.from_pylist(own, schema=fields)
            if chance.random() < 0.3 and count > 2:  # offsets that do not begin at 0
                table = pa.concat_tables([table.slice(0, 1), table.slice(1)])
            out.write_table(table, max_chunksize=chance.choice([3, 64, 1000]))
    return rows, is_one_type


def get(record, *path):
    for name in path:
        record = None if record is None else record[name]
    return record


def shown(cell):
    if cell is None:
        return "\u2400"
    if isinstance(cell, bool):
        return "t" if cell else "f"
    return repr(cell).removesuffix(".0") if isinstance(cell, float) else str(cell)


def question(sql, rows):
    print("Q" + sql)
    for each in rows:
        print("R" + "\x1f".join(shown(cell) for cell in each))


def is_any(elements, wanted):
    if elements is None or wanted in elements:
        return None if elements is None else True
    return None if None in elements else False


def size(elements, empty):
    return len(elements) or empty if elements is not None else None


def total(numbers):
    present = [number for number in numbers if number is not None]
    return sum(present) if present else None


def item(elements, number):
    return elements[number - 1] if elements and 0 < number <= len(elements) else None


def ask(table, rows, is_one_type):
    for column in ["is", "ss", "fs", "bs"]:
        elements = [(r["id"], x, o + 1) for r in rows for o, x in enumerate(r[column] or [])]
        unnest = f'unnest("{column}") WITH ORDINALITY u(x, o)'
        question(f"SELECT id, x, o FROM {table}, {unnest}", elements)
        absent = [(r["id"], None, None) for r in rows if not r[column]]
        question(f"SELECT id, x, o FROM {table} LEFT JOIN {unnest} ON true", elements + absent)
        name = f'"{column}"'
        question(
            f"SELECT id, cardinality({name}), array_length({name}, 1), {name}[1], {name}[id % 3] FROM {table}",
            [(r["id"], None if r[column] is None else len(r[column]), len(r[column]) if r[column] else None,
              item(r[column], 1), item(r[column], r["id"] % 3)) for r in rows])
    question(f"SELECT id, x FROM {table}, unnest(pair) x", [(r["id"], x) for r in rows for x in r["pair"] or []])
    question(f"SELECT id, pair[1], pair[2], cardinality(pair) FROM {table}",
             [(r["id"], item(r["pair"], 1), item(r["pair"], 2), 2 if r["pair"] else None) for r in rows])
    question(f"SELECT id, (v).x, (v).y, (v).z.f, (v).z.b, v IS NULL FROM {table}",
             [(r["id"], get(r, "v", "x"), get(r, "v", "y"), get(r, "v", "z", "f"), get(r, "v", "z", "b"),
               r["v"] is None or all(field is None for field in r["v"].values())) for r in rows])
    question(f"SELECT (v).y, count(*), sum((v).x) FROM {table} GROUP BY 1",
             [(key, len(group), total(get(r, "v", "x") for r in group))
              for key in {get(r, "v", "y") for r in rows}
              for group in [[r for r in rows if get(r, "v", "y") == key]]])
    question(f"SELECT id FROM {table} WHERE (v).x > 1 AND (v).y <> 'a'",
             [(r["id"],) for r in rows
              if (get(r, "v", "x") or 0) > 1 and get(r, "v", "y") not in (None, "a")])
    if is_one_type:
        fields = [(r["id"], get(each, "p"), get(each, "q")) for r in rows for each in r["items"] or []]
        question(f"SELECT id, p, q FROM {table}, unnest(items)", fields)
        question(f"SELECT id, p, q FROM {table} LEFT JOIN unnest(items) ON true",
                 fields + [(r["id"], None, None) for r in rows if not r["items"]])
        question(f"SELECT id, key, value FROM {table} LEFT JOIN unnest(m) ON true",
                 [(r["id"], *pair) for r in rows for pair in r["m"] or [(None, None)]])
    question(f"SELECT id, cardinality(items), array_length(items, 1), items IS NULL, cardinality(m), m IS NOT NULL FROM {table}",
             [(r["id"], *(size(r["items"], empty) for empty in (0, None)), r["items"] is None, size(r["m"], 0), r["m"] is not None)
              for r in rows])
    question(f"SELECT id, (items[1]).p, (items[id % 3]).q, (m[1]).key, (m[id % 3]).value FROM {table}",
             [(r["id"], get(item(r["items"], 1), "p"), get(item(r["items"], r["id"] % 3), "q"), get(item(r["m"], 1), 0),
               get(item(r["m"], r["id"] % 3), 1)) for r in rows])
    question(f"SELECT id FROM {table} WHERE (items[2]).p > 0 OR (items[1]).q = 'a'",
             [(r["id"],) for r in rows
              if (get(item(r["items"], 2), "p") or 0) > 0 or get(item(r["items"], 1), "q") == "a"])
    question(f"SELECT (items[1]).q, count(*), sum((items[1]).p) FROM {table} GROUP BY 1",
             [(key, len(group), total(get(item(r["items"], 1), "p") for r in group))
              for key in {get(item(r["items"], 1), "q") for r in rows}
              for group in [[r for r in rows if get(item(r["items"], 1), "q") == key]]])
    question(f"SELECT id, x FROM {table}, unnest((v).l) x",
             [(r["id"], x) for r in rows for x in get(r, "v", "l") or []])
    question(f"SELECT id, 3 = ANY (\"is\"), 'a' = ANY (ss), 0.5 = ANY (fs), id % 4 = ANY (\"is\") FROM {table}",
             [(r["id"], is_any(r["is"], 3), is_any(r["ss"], "a"), is_any(r["fs"], 0.5), is_any(r["is"], r["id"] % 4))
              for r in rows])
    question(f"SELECT id FROM {table} WHERE \"is\" @> '{{1,2}}' OR ss && '{{a,\"b,c\"}}'",
             [(r["id"],) for r in rows
              if {1, 2} <= set(r["is"] or []) or {"a", "b,c"} & set(r["ss"] or [])])
    question(f"SELECT g.y, sum(x) FROM (SELECT (v).y AS y, \"is\" FROM {table}) g, unnest(g.\"is\") x GROUP BY 1",
             [(key, total(x for r in rows if get(r, "v", "y") == key for x in r["is"] or []))
              for key in {get(r, "v", "y") for r in rows if r["is"]}])
    question(f"SELECT (q.v).x, count(*) FROM (SELECT v FROM {table} WHERE id % 2 = 0) q GROUP BY 1",
             [(key, sum(1 for r in rows if r["id"] % 2 == 0 and get(r, "v", "x") == key))
              for key in {get(r, "v", "x") for r in rows if r["id"] % 2 == 0}])


for number in range(tables):
    ask(f"t{number}", *write(f"{root}/t{number}"))
