"""Times the Star Schema Benchmark's queries on DuckDB, over the dataset's Arrow files or over tables loaded from them.

Writes tab-separated lines as dev.quarrel.bench.SuiteRunner does: "engine", "time" and "row" lines.
"""

import json
import pathlib
import sys
import threading
import time

import duckdb
import pyarrow as pa
import pyarrow.ipc


class PeakMemory(threading.Thread):
    """The largest RssAnon seen, in KiB: memory of the process' own, mapped files left out."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak = 0

    def sample(self):
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    self.peak = max(self.peak, int(line.split()[1]))

    def run(self):
        while True:
            self.sample()
            time.sleep(0.02)


def arrow_tables(root):
    manifest = json.loads((root / "_manifest.json").read_text(encoding="utf-8"))
    for table in manifest["tables"]:
        parts = []
        for file in table["files"]:
            parts.append(pa.ipc.open_file(pa.memory_map(str(root / file["path"]))).read_all())
        yield table["name"], pa.concat_tables(parts).unify_dictionaries()


def cell(value):
    if value is None:
        return "\\N"
    return str(value)


def main():
    mode, data, queries, runs, threads, only = sys.argv[1:]
    memory = PeakMemory()
    memory.start()
    connection = duckdb.connect()
    connection.execute(f"SET threads = {int(threads)}")
    start = time.perf_counter()
    for name, table in arrow_tables(pathlib.Path(data)):
        if mode == "arrow":
            connection.register(name, table)
        else:
            connection.register("source", table)
            connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM source')
            connection.unregister("source")
        del table
    loaded = time.perf_counter() - start
    print("engine", f"DuckDB {duckdb.__version__}, " + ("Arrow files" if mode == "arrow" else "own tables"), sep="\t")
    print("load", f"{loaded * 1e3:.3f}", sep="\t")
    for path in sorted(pathlib.Path(queries).glob("q*.sql")):
        name = path.stem[1:]
        if only and name not in only.split(","):
            continue
        sql = path.read_text(encoding="utf-8")
        times = []
        for _ in range(int(runs) + 3):
            start = time.perf_counter()
            rows = connection.execute(sql).fetchall()
            times.append((time.perf_counter() - start) * 1e3)
        hot = sorted(times[3:])
        print("time", name, f"{times[0]:.3f}", f"{hot[len(hot) // 2]:.3f}", f"{hot[0]:.3f}", f"{hot[-1]:.3f}", sep="\t")
        for row in rows:
            print("row", name, *map(cell, row), sep="\t")
    memory.sample()
    print("memory", memory.peak, sep="\t")


main()
