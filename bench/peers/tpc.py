"""Makes the data and the queries of TPC-H or TPC-DS with DuckDB's generators.

    tpc.py tpch|tpcds SCALE FOLDER

FOLDER gets schema.sql, in PostgreSQL's words, a TABLE.csv for each table, indexes.sql for a PostgreSQL that is to answer, and
queries/qNN.sql.
"""

import importlib.util
import pathlib
import sys

import duckdb

GENERATORS = {"tpch": "dbgen", "tpcds": "dsdgen"}

# Without them PostgreSQL takes minutes for q20, whose sub-query it runs once a row.
INDEXES = {"tpch": "CREATE INDEX ON lineitem (l_partkey, l_suppkey);\nCREATE INDEX ON partsupp (ps_partkey, ps_suppkey);\n"}


def load(connection, name):
    package = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").origin).parent
    extension = next((package / "extensions" / f"v{duckdb.__version__}").glob("*.duckdb_extension"))
    connection.execute(f"LOAD '{extension}'")


def main():
    name, scale, folder = sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])
    (folder / "queries").mkdir(parents=True, exist_ok=True)
    # In a file: a scale of 10 would not fit in memory everywhere.
    database = folder / "generated.duckdb"
    database.unlink(missing_ok=True)
    connection = duckdb.connect(str(database))
    load(connection, name)
    connection.execute(f"CALL {GENERATORS[name]}(sf = {scale})")
    statements = []
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
        columns = connection.execute(
            "SELECT column_name, data_type, is_nullable FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [table]
        ).fetchall()
        lines = [f"    {column} {kind}{'' if nullable else ' NOT NULL'}" for column, kind, nullable in columns]
        statements.append(f"CREATE TABLE {table} (\n" + ",\n".join(lines) + ");\n")
        connection.execute(f"COPY {table} TO '{folder / table}.csv' (FORMAT csv, HEADER false)")
    (folder / "schema.sql").write_text("\n".join(statements), encoding="utf-8")
    if name in INDEXES:
        (folder / "indexes.sql").write_text(INDEXES[name], encoding="utf-8")
    for number, text in connection.execute(f"SELECT query_nr, query FROM {name}_queries()").fetchall():
        (folder / "queries" / f"q{number:02}.sql").write_text(text.rstrip().rstrip(";") + "\n", encoding="utf-8")
    connection.close()
    database.unlink()


main()
