"""Exports lineorder with Quarrel and with others, in turns, from one PostgreSQL, and writes one markdown file.

psql throws its bytes away: two connections, each half of the pages, are what the server alone can do. Every other peer is a process
of its own that writes one Arrow IPC file.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

PEERS = {
    "adbc": """
import sys, adbc_driver_postgresql.dbapi, pyarrow as pa
with adbc_driver_postgresql.dbapi.connect(sys.argv[1]) as connection, connection.cursor() as cursor:
    cursor.execute("SELECT * FROM " + sys.argv[2])
    reader = cursor.fetch_record_batch()
    with pa.OSFile(sys.argv[3], "wb") as file, pa.ipc.new_file(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
""",
    "connectorx": """
import sys, connectorx, pyarrow as pa
table = connectorx.read_sql(sys.argv[1], "SELECT * FROM " + sys.argv[2], return_type="arrow", partition_on="lo_orderkey", partition_num=2)
with pa.OSFile(sys.argv[3], "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
    writer.write_table(table)
""",
}


def anonymous(pid):
    """Resident memory of the process' own, in KiB."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(("RssAnon:", "RssShmem:")))


def run(command, **options):
    """Wall and CPU seconds, peak memory in MiB, and standard output of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, **options)
    peak = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        peak = max(peak, anonymous(process.pid))
        time.sleep(0.005)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    output = process.stdout.read().decode()
    process.stdout.close()
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": peak / 1024, "output": output}


def psql(url, statement):
    return ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement]


def psql_halves(url, table, middle):
    start = time.perf_counter()
    before = os.times()
    halves = [
        subprocess.Popen(
            psql(url, f"COPY (SELECT * FROM {table} WHERE ctid {half} '({middle},0)'::tid) TO STDOUT (FORMAT binary)"),
            stdout=subprocess.DEVNULL,
        )
        for half in ("<", ">=")
    ]
    if any([half.wait() != 0 for half in halves]):
        raise SystemExit("psql failed")
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return {"wall": time.perf_counter() - start, "cpu": cpu, "peak": 0, "output": ""}


def spread(values, digits=2):
    if not values:
        return ""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--java", required=True, help="how to start dev.quarrel.bench.ExportRun")
    parser.add_argument("--table", default="lineorder")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--batch", default="0", help="MiB")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", default="adbc,connectorx")
    parser.add_argument("--sf", default="1")
    parser.add_argument("--command", default="")
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args()
    environment = dict(os.environ, QUARREL_BENCH_CHILD="1")
    pages, version = (
        subprocess.run(
            psql(options.url, f"SELECT pg_relation_size('{options.table}') / 8192 || '|' || version()"),
            check=True,
            stdout=subprocess.PIPE,
        )
        .stdout.decode()
        .strip()
        .split("|", 1)
    )
    middle = int(pages) // 2
    workers = [int(count) for count in options.workers.split(",")]
    peers = [peer for peer in options.peers.split(",") if peer]
    measured = {}
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    target = options.work / "peer.arrow"

    def note(key, result):
        measured.setdefault(key, []).append(result)
        print(f"{key}: {result['wall']:.2f} s, CPU {result['cpu']:.2f} s", file=sys.stderr, flush=True)

    # Not counted: it brings the table into the system's cache.
    psql_halves(options.url, options.table, middle)
    for _ in range(options.runs):
        note("psql", psql_halves(options.url, options.table, middle))
        for count in workers:
            root = options.work / "quarrel"
            shutil.rmtree(root, ignore_errors=True)
            result = run(
                options.java.split() + [options.url, options.table, str(root), str(count), options.batch], env=environment
            )
            result.update(json.loads(result["output"]))
            note(f"quarrel {count}", result)
        for peer in peers:
            target.unlink(missing_ok=True)
            note(peer, run([sys.executable, "-c", PEERS[peer], options.url, options.table, str(target)], env=environment))
        time.sleep(1)
    checked = check(options, options.work / "quarrel")
    write(options, measured, workers, peers, version, checked)
    shutil.rmtree(options.work, ignore_errors=True)


def check(options, root):
    """Counts and sums of the last export beside PostgreSQL's."""
    import pyarrow as pa
    import pyarrow.compute as pc

    sums, rows = {}, 0
    for path in root.rglob("*.arrow"):
        with pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            for index in range(reader.num_record_batches):
                batch = reader.get_batch(index)
                rows += batch.num_rows
                for name in ("lo_orderkey", "lo_revenue", "lo_supplycost"):
                    sums[name] = sums.get(name, 0) + pc.sum(batch.column(name)).as_py()
    theirs = subprocess.run(
        psql(options.url, f"SELECT count(*), sum(lo_orderkey), sum(lo_revenue), sum(lo_supplycost) FROM {options.table}"),
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.decode()
    ours = "|".join(map(str, [rows, *sums.values()]))
    if ours != theirs.strip():
        raise SystemExit(f"the rows differ: {ours} instead of {theirs}")
    return rows


def write(options, measured, workers, peers, version, rows):
    model = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), ""
    )
    now = datetime.datetime.now(datetime.timezone.utc)
    psql_wall = statistics.median(result["wall"] for result in measured["psql"])
    lines = [
        f"# Export of lineorder, SF {options.sf}",
        "",
        f"- {now:%Y-%m-%d %H:%M} UTC, commit {options.commit}",
        f"- command: `{options.command}`",
        f"- machine: {model}, {os.cpu_count()} threads shared by server and client, {platform.system()} {platform.release()};"
        f" load average at the end {os.getloadavg()[0]:.1f}, over 15 minutes {os.getloadavg()[2]:.1f}",
        f"- {version.split(' on ')[0]}; Python {platform.python_version()}",
        f"- data: {rows:,} rows of 17 columns; sums of three columns equal PostgreSQL's",
        f"- median (min–max) of {options.runs} rounds, in each of which all took their turns, the table in the system's cache",
        "- job: from the first connection to the manifest renamed and fsynced, statistics and SHA-256 included; process: from start to end;"
        " own CPU: of the exporter's process, the JVM's compilers included, during the job; memory: peak RssAnon + RssShmem",
        "",
        "| | job, s | by psql | process, s | own CPU, µs a row | start, s | memory, MiB |",
        "|---|---|---|---|---|---|---|",
    ]

    def row(name, results, job, own, start):
        walls = [result["wall"] for result in results]
        median = statistics.median(job or walls)
        lines.append(
            f"| {name} | {spread(job)} | {median / psql_wall:.2f} | {spread(walls)} | {spread(own, 3)} | {spread(start)} |"
            f" {max(result['peak'] for result in results):.0f} |"
        )

    row("psql, 2 connections, bytes thrown away", measured["psql"], [], [r["cpu"] / rows * 1e6 for r in measured["psql"]], [])
    for count in workers:
        results = measured[f"quarrel {count}"]
        row(
            f"Quarrel, {count} worker{'s' if count > 1 else ''}",
            results,
            [r["wall_ms"] / 1000 for r in results],
            [r["cpu_ms"] / rows * 1e3 for r in results],
            [r["start_ms"] / 1000 for r in results],
        )
    for peer in peers:
        row(peer, measured[peer], [], [r["cpu"] / rows * 1e6 for r in measured[peer]], [])
    ours = measured[f"quarrel {2 if 2 in workers else workers[0]}"]
    for peer in peers:
        ratio = statistics.median(r["wall"] for r in ours) / statistics.median(r["wall"] for r in measured[peer])
        lines.append("" if peer == peers[0] else None)
        lines.append(f"- whole process by {peer}'s: {ratio:.2f}")
    file = options.results / f"export-sf{options.sf}-{now:%Y%m%d-%H%M%S}.md"
    file.write_text("\n".join(line for line in lines if line is not None) + "\n", encoding="utf-8")
    print(file.read_text(encoding="utf-8"))
    print(file, file=sys.stderr)


if __name__ == "__main__":
    main()
