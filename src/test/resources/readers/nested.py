"""Random tables of structs, lists, maps and unions, in random encodings, files and batches.

python nested.py FOLDER SEED TABLES: writes FOLDER/tN/*.arrow, and prints statements (Q) with their rows in any order (R): fields between
U+001F, U+2400 for NULL.
"""

import json
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
    return {"x": value("i"), "y": value("s"), "z": inner, "l": values("i", has_nulls), "ls": items(), "m": pairs()}


def items():
    if chance.random() < 0.2:
        return None
    return [None if chance.random() < 0.2 else {"p": value("i"), "q": value("s")} for _ in range(chance.randrange(3))]


def deep():
    if chance.random() < 0.3:
        return None
    return [None if chance.random() < 0.1 else {"k": value("i"), "in": items(), "n": pairs()} for _ in range(chance.randrange(3))]


def pairs():
    if chance.random() < 0.2:
        return None
    return [(key, value("i")) for key in chance.sample("abc", chance.randrange(3))]


def member():
    """Which one of a union's there is, and its value."""
    name = chance.choice(["num", "txt", "st"])
    if name == "st":
        return name, None if chance.random() < 0.2 else {"a": value("f")}
    return name, value("i" if name == "num" else "s")


def row(number, has_nulls):
    pair = None if chance.random() < 0.3 else [chance.randrange(9), chance.randrange(9)]
    lists = {kind + "s": values(kind, has_nulls) for kind in VALUES}
    return {"id": number, **lists, "v": struct(has_nulls), "pair": pair, "items": items(), "m": pairs(), "u": member(), "deep": deep()}


def text_type(is_coded):
    return pa.dictionary(pa.int8(), pa.string()) if is_coded else chance.choice(
        [pa.string(), pa.large_string(), pa.string_view()])


def schema(integer, is_listed):
    listed = chance.choice([pa.list_, pa.large_list])
    inner = pa.struct([("f", pa.float64()), ("b", pa.bool_())])
    item = pa.struct([("p", integer), ("q", text_type(False))])
    rows = listed if is_listed else chance.choice([pa.list_view, pa.large_list_view])
    return pa.schema([
        ("id", pa.int32()), ("is", listed(integer)), ("ss", listed(text_type(chance.random() < 0.3))),
        ("fs", listed(pa.float64())), ("bs", listed(pa.bool_())),
        ("v", pa.struct([("x", integer), ("y", text_type(chance.random() < 0.3)), ("z", inner), ("l", listed(integer)),
                         ("ls", rows(item)), ("m", pa.map_(pa.string(), integer))])),
        ("pair", pa.list_(pa.int32(), 2)),
        ("items", (listed if is_listed else pa.list_view)(item)),
        ("m", pa.map_(pa.string(), integer)),
        ("deep", listed(pa.struct([("k", integer), ("in", rows(item)), ("n", pa.map_(pa.string(), integer))]))),
    ])


def union(members, integer):
    names = ["num", "txt", "st"]
    types = [integer, text_type(chance.random() < 0.3), pa.struct([("a", pa.float64())])]
    ids = pa.array([names.index(name) for name, _ in members], pa.int8())
    if chance.random() < 0.5:
        others = {"num": 4, "txt": "z", "st": {"a": 9.5}} if chance.random() < 0.5 else dict.fromkeys(names)
        children = [pa.array([own if each == name else others[name] for each, own in members], kind)
                    for name, kind in zip(names, types)]
        return pa.UnionArray.from_sparse(ids, children, names)
    places = {name: 0 for name in names}
    offsets = []
    for name, _ in members:
        offsets.append(places[name])
        places[name] += 1
    children = [pa.array([v for n, v in members if n == name], kind) for name, kind in zip(names, types)]
    return pa.UnionArray.from_dense(ids, pa.array(offsets, pa.int32()), children, names)


def write(folder):
    os.makedirs(folder)
    integers = [pa.int16(), pa.int32(), pa.int64()]
    integer = chance.choice(integers)
    is_one_type = chance.random() < 0.7
    has_nulls = chance.random() < 0.5
    is_listed = chance.random() < 0.7
    rows = []
    for file in range(chance.choice([1, 1, 2, 3])):
        count = chance.choice([0, 1, 7, 40, 200]) if file else chance.choice([5, 70, 300])
        own = [row(1000 * file + number, has_nulls) for number in range(count)]
        rows += own
        own_integer = integer if is_one_type else chance.choice(integers)
        fields = schema(own_integer, is_listed)
        options = ipc.IpcWriteOptions(compression=chance.choice([None, None, "lz4", "zstd"]))
        table = pa.Table.from_pylist([{name: own_value for name, own_value in r.items() if name != "u"} for r in own], schema=fields)
        table = table.append_column("u", union([r["u"] for r in own], own_integer))
        with ipc.new_file(f"{folder}/{file}.arrow", table.schema, options=options) as out:
            if chance.random() < 0.3 and count > 2:  # offsets that do not begin at 0
                table = pa.concat_tables([table.slice(0, 1), table.slice(1)])
            out.write_table(table, max_chunksize=chance.choice([3, 64, 1000]))
    return rows, is_one_type, is_listed


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


def document(each):
    """As PostgreSQL writes JSON; maps are lists of tuples."""
    if isinstance(each, list) and each and isinstance(each[0], tuple):
        return document(dict(each))
    if isinstance(each, list):
        return "[" + ",".join(document(element) for element in each) + "]"
    if isinstance(each, dict):
        return "{" + ",".join(f"{document(key)}:{document(own)}" for key, own in each.items()) + "}"
    return repr(each).removesuffix(".0") if isinstance(each, float) else json.dumps(each, ensure_ascii=False)


def text(item):
    """As PostgreSQL shows a composite of a number and a text."""
    if item is None:
        return None
    quoted = item["q"] and item["q"].replace('"', '""')
    if quoted is not None and (quoted == "" or any(mark in quoted for mark in '", ()')):
        quoted = f'"{quoted}"'
    return f"({'' if item['p'] is None else item['p']},{'' if quoted is None else quoted})"


def of_map(each):
    return None if each is None else "{}" if not each else document(each)


def of_struct(each):
    if each is None:
        return None
    return document({**each, "m": each["m"] and dict(each["m"]) if each["m"] != [] else {}})


def of_union(name, own):
    return None if own is None else document({each: own if each == name else None for each in ["num", "txt", "st"]})


def ask(table, rows, is_one_type, is_listed):
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
        question(f"SELECT id, p, q FROM {table}, unnest((v).ls) WHERE p > 0 OR id % 3 = 0",
                 [(r["id"], get(each, "p"), get(each, "q")) for r in rows for each in get(r, "v", "ls") or []
                  if (get(each, "p") or 0) > 0 or r["id"] % 3 == 0])
        question(f"SELECT t.id, o, e.q FROM {table} t LEFT JOIN unnest((t.v).ls) WITH ORDINALITY e(p, q, o) ON true",
                 [(r["id"], *each) for r in rows
                  for each in [(o + 1, get(e, "q")) for o, e in enumerate(get(r, "v", "ls") or [])] or [(None, None)]])
        question(f"SELECT id, (SELECT count(q) FROM unnest((v).ls) WHERE p > 0) FROM {table}",
                 [(r["id"], sum(1 for e in get(r, "v", "ls") or [] if e and e["q"] is not None and (e["p"] or 0) > 0)) for r in rows])
        inner = [(r["id"], get(d, "k"), o + 1, get(e, "p"), get(e, "q")) for r in rows for d in r["deep"] or []
                 for o, e in enumerate(get(d, "in") or [])]
        question(f'SELECT id, d.k, o, e.p, e.q FROM {table}, unnest(deep) d, unnest(d."in") WITH ORDINALITY e(p, q, o)', inner)
        question(f'SELECT e.q, count(*), sum(d.k) FROM {table} t JOIN unnest(t.deep) d ON true JOIN unnest(d."in") e ON e.p > 0 GROUP BY 1',
                 [(key, len(group), total(each[1] for each in group)) for key in {each[4] for each in inner if (each[3] or 0) > 0}
                  for group in [[each for each in inner if each[4] == key and (each[3] or 0) > 0]]])
        question(f"SELECT id, d.k, n.key, n.value FROM {table} LEFT JOIN unnest(deep) d ON true LEFT JOIN unnest(d.n) n ON true",
                 [(r["id"], get(d, "k"), *n) for r in rows for d in r["deep"] or [None] for n in get(d, "n") or [(None, None)]])
        question(f"SELECT key, count(*), sum(value) FROM {table}, unnest((v).m) GROUP BY key",
                 [(key, len(group), total(group)) for key in "abc"
                  for group in [[own for r in rows for k, own in get(r, "v", "m") or [] if k == key]] if group])
        question(f"SELECT id, key, value FROM {table} LEFT JOIN unnest(m) ON true",
                 [(r["id"], *pair) for r in rows for pair in r["m"] or [(None, None)]])
    question(f"SELECT id, to_json(items), to_json(m), to_json(v), to_json(u) FROM {table}",
             [(r["id"], r["items"] if r["items"] is None else document(r["items"]), of_map(r["m"]), of_struct(r["v"]),
               of_union(*r["u"])) for r in rows])
    question(f"SELECT id, to_json((q.v).ls), to_json((q.v).m) FROM (SELECT * FROM {table} WHERE id % 2 = 0) q",
             [(r["id"], None if get(r, "v", "ls") is None else document(r["v"]["ls"]), of_map(get(r, "v", "m")))
              for r in rows if r["id"] % 2 == 0])
    members = {name: [r["u"][1] if r["u"][0] == name else None for r in rows] for name in ["num", "txt", "st"]}
    question(f"SELECT id, (u).num, (u).txt, (u).st.a, u IS NULL, u IS NOT NULL, union_tag(u) FROM {table}",
             [(r["id"], num, txt, get(st, "a"), r["u"][1] is None, r["u"][1] is not None, r["u"][0])
              for r, num, txt, st in zip(rows, *members.values())])
    question(f"SELECT (u).txt, count(*), sum((u).num) FROM {table} WHERE (u).num > 0 OR (u).txt <> 'a' GROUP BY 1",
             [(key, len(group), total(num for num, _ in group))
              for found in [[(num, txt) for num, txt in zip(members["num"], members["txt"])
                             if (num or 0) > 0 or txt not in (None, "a")]]
              for key in {txt for _, txt in found}
              for group in [[each for each in found if each[1] == key]]])
    if not is_listed:
        return
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
    question(f"SELECT id, ((v).ls[1]).p, ((t.v).ls[id % 3]).q, ((v).m[1]).key, (v).l[id % 3], 3 = ANY ((v).l), (v).ls IS NULL,"
             f" cardinality((v).ls), cardinality((v).m), cardinality((v).l) FROM {table} t",
             [(r["id"], get(item(get(r, "v", "ls"), 1), "p"), get(item(get(r, "v", "ls"), r["id"] % 3), "q"),
               get(item(get(r, "v", "m"), 1), 0), item(get(r, "v", "l"), r["id"] % 3), is_any(get(r, "v", "l"), 3),
               get(r, "v", "ls") is None, size(get(r, "v", "ls"), 0), size(get(r, "v", "m"), 0), size(get(r, "v", "l"), 0))
              for r in rows])
    question(f"SELECT id FROM {table} WHERE ((v).ls[2]).p > 0 OR ((v).m[1]).value = 2",
             [(r["id"],) for r in rows
              if (get(item(get(r, "v", "ls"), 2), "p") or 0) > 0 or get(item(get(r, "v", "m"), 1), 1) == 2])
    if is_one_type:
        question(f"SELECT id, unnest(items) x, unnest((v).ls) y FROM {table} WHERE id < 40",
                 [(r["id"], *(None if number >= len(own or []) else text(own[number]) for own in [r["items"], get(r, "v", "ls")]))
                  for r in rows if r["id"] < 40
                  for number in range(max(len(r["items"] or []), len(get(r, "v", "ls") or [])))])
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
