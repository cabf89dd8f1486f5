"""DuckDB's side of the statements that write.

    writes.py DATABASE

Reads statements, one a line. `time` runs those since the last answer and says the seconds that took; `row` runs them and says
the last one's row, values between tabs.
"""

import pathlib
import sys
import time

import duckdb

path = pathlib.Path(sys.argv[1])
path.unlink(missing_ok=True)
connection = duckdb.connect(str(path))
waiting = []
for line in sys.stdin:
    line = line.strip()
    if line not in ("time", "row"):
        waiting.append(line)
        continue
    start = time.monotonic()
    for statement in waiting:
        connection.execute(statement)
    seconds = time.monotonic() - start
    waiting = []
    if line == "time":
        print(f"{seconds:.6f}", flush=True)
    else:
        print("\t".join(map(str, connection.fetchone())), flush=True)
