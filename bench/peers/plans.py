"""Writes the plans of Quarrel and of DuckDB side by side: shapes, conditions and rows, as both counted them.

    plans.py MEASUREMENTS DATA QUERIES QUARREL > plans.md

Of the queries that took Quarrel more than twice DuckDB's time, by MEASUREMENTS' quarrel.tsv and duckdb.tsv, the worst first. DATA
is a dataset's folder, QUERIES one of NAME.sql, QUARREL the program. DuckDB runs over its own tables.
"""

import json
import pathlib
import re
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.ipc


def duckdb_lines(node, depth=0):
    """An operator a line: its name, what it joins or groups by, its rows."""
    info = node.get("extra_info") or {}
    name = node.get("type", "")
    if name not in ("EXPLAIN_ANALYZE", "PROJECTION", "RESULT_COLLECTOR"):
        said = [str(info[key]) for key in ("Table", "Join Type", "Conditions", "Groups", "Aggregates", "Order By", "Top", "Filters", "Expression", "Estimated Cardinality") if info.get(key)]
        text = re.sub(r"\s+", " ", "; ".join(said))[:160]
        yield f"{'  ' * depth}{name} {text} -> {node['intermediate_rows']} rows, {1000 * node['timing']:.1f} ms"
        depth += 1
    for child in node.get("children", []):
        yield from duckdb_lines(child, depth)


def quarrel_lines(text):
    """Of EXPLAIN ANALYZE the nodes, their conditions and rows."""
    for line in text.splitlines():
        if re.search(r"->  |^ ?[A-Z]\w+.*actual|Hash Cond|Group Key|Filter:|Join Filter|Sort Key|Execution Time|Planning Time", line):
            yield line.rstrip()[:200]


def hot_times(path):
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {fields[1]: float(fields[4]) for fields in lines if fields[0] == "time"}


def main():
    measured, root, queries, quarrel = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
    ours, theirs = hot_times(measured / "quarrel.tsv"), hot_times(measured / "duckdb.tsv")
    ratios = {name: ours[name] / theirs[name] for name in ours if name in theirs}
    names = sorted((name for name in ratios if ratios[name] > 2), key=ratios.get, reverse=True)
    connection = duckdb.connect(config={"threads": 2})
    for table in json.loads((root / "_manifest.json").read_text(encoding="utf-8"))["tables"]:
        parts = [pa.ipc.open_file(pa.memory_map(str(root / file["path"]))).read_all() for file in table["files"]]
        connection.register("source", pa.concat_tables(parts).unify_dictionaries())
        connection.execute(f'CREATE TABLE "{table["name"]}" AS SELECT * FROM source')
        connection.unregister("source")
    for name in names:
        path = next(queries / f"{prefix}{name}.sql" for prefix in ("", "q") if (queries / f"{prefix}{name}.sql").exists())
        own = path.with_suffix(".duckdb.sql")
        print(f"## {name}: {ours[name]:.1f} ms, {ratios[name]:.2f} ×\n\nDuckDB:\n\n```")
        try:
            (_, profile), = connection.execute("EXPLAIN (ANALYZE, FORMAT json) " + (own if own.exists() else path).read_text(encoding="utf-8")).fetchall()
            print("\n".join(duckdb_lines({"type": "RESULT_COLLECTOR", "children": json.loads(profile)["operator"]})))
        except duckdb.Error as error:
            print(str(error).splitlines()[0])
        print("```\n\nQuarrel:\n\n```")
        # Three times: the last one's loops are compiled.
        statement = "explain analyze " + path.read_text(encoding="utf-8").strip().rstrip(";") + ";"
        done = subprocess.run([quarrel, "sql", "--data", str(root)], input=statement * 3, capture_output=True, text=True)
        print("\n".join(quarrel_lines(done.stdout.split("QUERY PLAN")[-1])) or done.stderr.strip())
        print("```\n", flush=True)


main()
