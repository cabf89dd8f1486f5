"""Times a suite's queries on one engine, in this process alone, over a dataset's Arrow files.

    suite.py ENGINE DATA QUERIES RUNS THREADS ONLY

ENGINE is duckdb (its own tables), duckdb-arrow, polars, chdb or datafusion. DATA is [VARIANT=]ROOT, several separated by
commas. QUERIES is a folder of NAME.sql; NAME.ENGINE.sql goes before it where it is there. Writes tab-separated lines as
dev.quarrel.bench.SuiteRunner does.
"""

import json
import os
import pathlib
import re
import sys
import threading
import time

THREADS = sys.argv[5]
# Read by the libraries when they are loaded.
os.environ["POLARS_MAX_THREADS"] = THREADS
os.environ["TOKIO_WORKER_THREADS"] = THREADS
os.environ["RAYON_NUM_THREADS"] = THREADS

import pyarrow as pa  # noqa: E402
import pyarrow.ipc  # noqa: E402

WARM_UP_RUNS = 3
WARM_UP_SECONDS = float(os.environ.get("QUARREL_BENCH_WARM_UP_SECONDS", "3"))


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


def arrow_files(root):
    """The files of each table; without a manifest NAME.arrow is table NAME."""
    path = root / "_manifest.json"
    if not path.exists():
        return {file.stem: [file] for file in sorted(root.glob("*.arrow"))}
    manifest = json.loads(path.read_text(encoding="utf-8"))
    return {table["name"]: [root / file["path"] for file in table["files"]] for table in manifest["tables"]}


def arrow_tables(root, wanted):
    for name, paths in arrow_files(root).items():
        if name not in wanted:
            continue
        parts = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths]
        yield name, pa.concat_tables(parts).unify_dictionaries()


class DuckDb:
    def __init__(self, root, wanted, over_arrow):
        import duckdb

        self.name = f"DuckDB {duckdb.__version__}, " + ("Arrow" if over_arrow else "own tables")
        self.connection = duckdb.connect()
        self.connection.execute(f"SET threads = {int(THREADS)}")
        for name, table in arrow_tables(root, wanted):
            if over_arrow:
                self.connection.register(name, table)
            else:
                self.connection.register("source", table)
                self.connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM source')
                self.connection.unregister("source")

    def run(self, sql):
        return self.connection.sql(sql).to_arrow_table()

    def close(self):
        self.connection.close()


class Polars:
    # Its sum() of int32 is an int32, and wraps.
    MONEY = {"lo_extendedprice", "lo_ordtotalprice", "lo_revenue", "lo_supplycost"}

    def __init__(self, root, wanted):
        import polars

        self.name = f"Polars {polars.__version__}"
        self.context = polars.SQLContext()
        for name, table in arrow_tables(root, wanted):
            frame = polars.from_arrow(table)
            money = [column for column in frame.columns if column in self.MONEY]
            self.context.register(name, frame.with_columns(polars.col(money).cast(polars.Int64)))

    def run(self, sql):
        return self.context.execute(sql, eager=True)

    def close(self):
        pass


class ClickHouse:
    def __init__(self, root, wanted):
        import tempfile

        import chdb
        from chdb import session

        self.folder = tempfile.TemporaryDirectory()
        self.session = session.Session(self.folder.name)
        version = str(self.session.query("select version()", "TSV")).strip()
        self.name = f"ClickHouse {version} (chdb {chdb.__version__})"
        for setting in (f"max_threads = {int(THREADS)}", "session_timezone = 'UTC'"):
            self.session.query(f"SET {setting}")
        self.session.query("CREATE DATABASE bench")
        self.session.query("USE bench")
        for name, paths in arrow_files(root).items():
            for number, path in enumerate(paths if name in wanted else []):
                create = f"CREATE TABLE `{name}` ENGINE = MergeTree ORDER BY tuple() AS" if number == 0 else f"INSERT INTO `{name}`"
                self.session.query(f"{create} SELECT * FROM file('{path}', 'Arrow')")
            if name in wanted:
                self.session.query(f"OPTIMIZE TABLE `{name}` FINAL")

    def run(self, sql):
        return self.session.query(sql, "Arrow").bytes()

    def close(self):
        self.session.close()
        self.folder.cleanup()


class DataFusion:
    def __init__(self, root, wanted):
        import datafusion

        self.name = f"DataFusion {datafusion.__version__}"
        self.context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(int(THREADS)))
        for name, table in arrow_tables(root, wanted):
            # One partition a thread, as its own readers of files would make them.
            batches = table.to_batches()
            share = -(-len(batches) // int(THREADS))
            self.context.register_record_batches(name, [batches[at : at + share] for at in range(0, len(batches), share)])

    def run(self, sql):
        return self.context.sql(sql).collect()

    def close(self):
        pass


ENGINES = {
    "duckdb": lambda root, wanted: DuckDb(root, wanted, False),
    "duckdb-arrow": lambda root, wanted: DuckDb(root, wanted, True),
    "polars": Polars,
    "chdb": ClickHouse,
    "datafusion": DataFusion,
}
OWN_TEXTS = tuple(f".{name}" for name in (*ENGINES, "quarrel", "questdb"))


def rows(result):
    """The rows of whatever an engine answered with, as tuples."""
    if isinstance(result, bytes):
        result = pa.ipc.open_file(pa.py_buffer(result)).read_all()
    if isinstance(result, list):
        result = pa.Table.from_batches(result) if result else pa.table({})
    if not isinstance(result, pa.Table):
        return result.rows()
    return list(zip(*(column.to_pylist() for column in result.columns)))


def cell(value):
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, bool):
        return "t" if value else "f"  # as PostgreSQL's clients show it
    if hasattr(value, "tzinfo") and value.tzinfo is not None:
        return str(value.replace(tzinfo=None))
    return str(value)


def out(*fields):
    print(*fields, sep="\t", flush=True)


def time_query(engine, label, sql, runs):
    times = []
    warm_up_end = time.perf_counter() + WARM_UP_SECONDS
    warm = 0
    while len(times) < warm + runs:
        start = time.perf_counter()
        result = engine.run(sql)
        end = time.perf_counter()
        times.append((end - start) * 1e3)
        if len(times) <= WARM_UP_RUNS or (len(times) == warm + 1 and end < warm_up_end):
            warm = len(times)
    hot = sorted(times[warm:])
    out("time", label, *(f"{t:.3f}" for t in (times[0], times[2], hot[len(hot) // 2], hot[0], hot[-1])))
    for row in rows(result):
        out("row", label, *map(cell, row))


def query_texts(folder, engine_name, only, values):
    """NAME.sql, or NAME.ENGINE.sql where an engine needs other words; by name, in order."""
    texts = {}
    for path in sorted(folder.glob("*.sql")):
        if path.stem.endswith(OWN_TEXTS) or only and path.stem.removeprefix("q") not in only:
            continue
        own = path.with_suffix(f".{engine_name}.sql")
        text = (own if own.exists() else path).read_text(encoding="utf-8")
        for key, value in values.items():
            text = text.replace("{" + key + "}", value)
        texts[path.stem.removeprefix("q")] = text
    return texts


def main():
    engine_name, data, queries, runs, _, only = sys.argv[1:]
    memory = PeakMemory()
    memory.start()
    values = json.loads(os.environ.get("QUARREL_BENCH_VALUES", "{}"))
    for part in data.split(","):
        variant, _, root = part.rpartition("=")
        texts = query_texts(pathlib.Path(queries), engine_name, only.split(",") if only else [], values)
        words = set(re.findall(r"\w+", " ".join(texts.values())))
        wanted = {name for name in arrow_files(pathlib.Path(root)) if name in words}
        start = time.perf_counter()
        engine = ENGINES[engine_name](pathlib.Path(root), wanted)
        loaded = time.perf_counter() - start
        out("engine", engine.name)
        out("load", f"{loaded * 1e3:.3f}")
        for name, sql in texts.items():
            label = f"{name} {variant}".strip()
            try:
                time_query(engine, label, sql, int(runs))
            except Exception as error:  # an engine that cannot is a line of the table, not the end of the run
                out("error", label, " ".join(str(error).split())[:300])
        engine.close()
    memory.sample()
    out("memory", memory.peak)


main()
