"""Makes odd.arrow: lists, structs and maps as writers rarely have them. python odd.py FILE, with pyarrow.

Lists begin in the middle of their elements, NULL ones have some, and dictionaries, runs, unions and columns of NULLs
stand in structs.
"""

import datetime
import decimal
import sys

import pyarrow as pa
import pyarrow.ipc as ipc

ROWS = 12
rows = range(ROWS)


def offsets(each):
    return pa.array([each(row) for row in range(ROWS + 1)], pa.int32())


def where(each):
    return pa.array([each(row) for row in rows])


fixed = pa.FixedSizeListArray.from_arrays(pa.array(range(2 * ROWS), pa.int32()), 2, mask=where(lambda row: row % 3 == 1))
texts = pa.array([f"v{value}" if value % 4 else None for value in range(40)])
middle = pa.ListArray.from_arrays(offsets(lambda row: 2 + 3 * row), texts, mask=where(lambda row: row % 4 == 2))
codes = pa.array([f"d{value % 3}" for value in range(2 * ROWS)]).dictionary_encode()
types = pa.array([row % 2 for row in rows], pa.int8())
union = pa.UnionArray.from_sparse(types, [pa.array(rows), pa.array([str(row) for row in rows])])
structs = pa.StructArray.from_arrays(
    [
        pa.array([f"e{row % 2}" for row in rows]).dictionary_encode(),
        middle,
        fixed,
        pa.nulls(ROWS),
        pa.array([row * 0.5 for row in rows]),
        pa.RunEndEncodedArray.from_arrays([5, ROWS], ["r1", "r2"]),
        union,
    ],
    names=["coded", "middle", "fixed", "nothing", "number", "runs", "union"],
    mask=where(lambda row: row % 5 == 3),
)
decimals = pa.list_(pa.decimal128(9, 2))
maps = pa.map_(pa.string(), pa.list_(pa.int16()))
table = pa.table(
    {
        "id": pa.array(rows, pa.int64()),
        "fixed": fixed,
        "middle": middle,
        "coded": pa.ListArray.from_arrays(offsets(lambda row: 2 * row), codes),
        "struct": structs,
        "structs": pa.ListArray.from_arrays(offsets(lambda row: min(row, 11)), structs),
        "large": pa.array(
            [[datetime.date(2024, 1, 1 + row)] * (row % 3) if row % 5 else None for row in rows],
            pa.large_list(pa.date32()),
        ),
        "map": pa.array([[(f"k{e}", [e] * e) for e in range(row % 4)] if row % 6 else None for row in rows], maps),
        "lists": pa.array([[[row, row + 1], [3, 4]] if row % 2 else None for row in rows]),
        "decimals": pa.array([[decimal.Decimal(row) / 4] for row in rows], decimals),
        "flags": pa.array([[row % 2 == 0, None] for row in rows], pa.list_(pa.bool_())),
        "spans": pa.array([[datetime.timedelta(seconds=row)] for row in rows], pa.list_(pa.duration("us"))),
        "bytes": pa.array([[row] for row in rows], pa.list_(pa.uint8())),
        "views": pa.array([[row] for row in rows], pa.list_view(pa.int64())),
        "union": union,
    }
)
with ipc.new_file(sys.argv[1], table.schema) as out:
    for batch in table.to_batches(max_chunksize=5):
        out.write_batch(batch)
