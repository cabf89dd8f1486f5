"""DuckDB's side of the imports: a CSV file without a header, a Parquet file, or one of JSON lines, as a table of a database.

    imports.py parquet CSV PARQUET      makes the Parquet file of a CSV file
    imports.py json PARQUET JSON        makes JSON lines of two million of its rows, with an object and an array in each
    imports.py load FILE DATABASE       reads FILE into a new DATABASE, and checkpoints it
    imports.py time COMMAND…            says the seconds of a command, and in parentheses those of the processors
"""

import pathlib
import resource
import subprocess
import sys
import time


READERS = {
    ".csv": "read_csv('{}', header = false)",
    ".parquet": "read_parquet('{}')",
    ".ndjson": "read_json('{}')",
}

LINES = """SELECT column00 AS id, {'part': column01, 'supplier': column02} AS item, column04 AS quantity, column05 AS price,
    [column08, column09] AS flags, column10 AS shipped, column14 AS mode, column15 AS note"""


def load(what, source, target):
    import duckdb

    pathlib.Path(target).unlink(missing_ok=True)
    rows = READERS[pathlib.Path(source).suffix].format(source)
    if what == "parquet":
        duckdb.sql(f"COPY (SELECT * FROM {rows}) TO '{target}' (FORMAT parquet)")
        return
    if what == "json":
        duckdb.sql(f"COPY ({LINES} FROM {rows} LIMIT 2000000) TO '{target}' (FORMAT json)")
        return
    with duckdb.connect(target) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM {rows}")
        connection.execute("CHECKPOINT")


def timed(command):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{seconds:.2f} ({used.ru_utime + used.ru_stime:.1f})")


if sys.argv[1] == "time":
    timed(sys.argv[2:])
else:
    load(*sys.argv[1:4])
