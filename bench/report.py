"""Puts the engines' measurements side by side, compares their rows, and writes one markdown file."""

import argparse
import datetime
import math
import os
import pathlib
import platform
import re
import sys

ORDER = ("quarrel", "duckdb", "duckdb-arrow", "polars", "chdb", "datafusion", "questdb")


class Measured:
    def __init__(self, path):
        self.key, self.engine, self.times, self.rows, self.errors, self.bytes = path.stem, path.stem, {}, {}, {}, {}
        self.memory, self.load, self.bandwidth = 0, 0.0, None
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, *rest = line.split("\t")
            if kind == "engine":
                self.engine = rest[0]
            elif kind == "load":
                self.load += float(rest[0])
            elif kind == "memory":
                self.memory = int(rest[0])
            elif kind == "bandwidth":
                self.bandwidth = float(rest[0])
            elif kind == "bytes":
                self.bytes[rest[0]] = int(rest[1])
            elif kind == "error":
                self.errors[rest[0]] = rest[1]
                self.times.pop(rest[0], None)
            elif kind == "time":
                self.times[rest[0]] = tuple(map(float, rest[1:]))
                self.rows.setdefault(rest[0], [])
            elif kind == "row":
                self.rows[rest[0]].append(tuple(map(canonical, rest[1:])))


def canonical(cell):
    """A number as such, a timestamp without its fraction's last zeros, any other text as it is."""
    if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", cell):
        return float(cell) if re.search("[.eE]", cell) else int(cell)
    time = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d*)?Z?", cell)
    return f"{time[1]} {time[2]}{(time[3] or '').rstrip('0').rstrip('.')}" if time else cell


def same_cell(one, other):
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        # Sums of doubles depend on their order in most engines, and averages on how they are rounded.
        return one == other or (isinstance(one, float) or isinstance(other, float)) and math.isclose(one, other, rel_tol=1e-9)
    return one == other


def same_rows(ours, theirs):
    def equal(left, right):
        return len(left) == len(right) and all(
            len(a) == len(b) and all(map(same_cell, a, b)) for a, b in zip(left, right)
        )

    return equal(ours, theirs) or equal(sorted(ours, key=repr), sorted(theirs, key=repr))


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def memory_gib():
    try:
        with open("/proc/meminfo", encoding="ascii") as info:
            return int(info.readline().split()[1]) / (1 << 20)
    except OSError:
        return float("nan")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header), *("| " + " | ".join(row) + " |" for row in rows), ""]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    for name in ("suite", "scale", "runs", "threads", "label", "commit", "bytes", "command"):
        parser.add_argument("--" + name, default="")
    arguments = parser.parse_args()
    measured = [Measured(path) for key in ORDER if (path := arguments.measurements / f"{key}.tsv").exists()]
    ours, others = measured[0], measured[1:]
    now = datetime.datetime.now(datetime.timezone.utc)
    lines = [
        f"# Suite {arguments.suite}, {arguments.scale}",
        "",
        f"- {now:%Y-%m-%d %H:%M} UTC, commit {arguments.commit}" + (f", {arguments.label}" if arguments.label else ""),
        f"- command: `{arguments.command}`",
        f"- machine: {cpu_model()}, {arguments.threads} threads, {memory_gib():.0f} GiB, {platform.system()} {platform.release()}; "
        f"measured read bandwidth of {arguments.threads} threads: {(ours.bandwidth or 0) / 1e9:.1f} GB/s; "
        f"load average at the end {os.getloadavg()[0]:.1f}, over 15 minutes {os.getloadavg()[2]:.1f}"
        + ("" if os.getloadavg()[2] < os.cpu_count() + 2 else ": **busy with other work, times are no measure**"),
        f"- engines: " + "; ".join(engine.engine for engine in measured),
        f"- data: {int(arguments.bytes or 0) / 1e6:,.0f} MB of Arrow files",
        f"- hot: median (min–max) of {arguments.runs} runs after 3 runs and {os.environ.get('QUARREL_BENCH_WARM_UP_SECONDS', '3')} s of warm-up, ms, SQL text in to last row out, planning "
        "included, each engine alone in a process of its own; ratio: Quarrel's hot time by the peer's, below 1 Quarrel is faster",
        "- GB/s: bytes of the columns named, read once, by the hot time; share: of the measured bandwidth",
        "",
    ]
    different = []
    rows = []
    for query in list(ours.times) + [q for q in ours.errors if q not in ours.times]:
        if query not in ours.times:
            rows.append([query, "", "error", "", "", *("error" if query not in o.times else f"{o.times[query][2]:.1f}" for o in others), "", ""])
            continue
        _, _, hot, low, high = ours.times[query]
        speed = ours.bytes.get(query, 0) / hot / 1e6
        row = [
            query,
            str(len(ours.rows[query])),
            f"{hot:.2f} ({low:.2f}–{high:.2f})",
            f"{speed:.1f}",
            f"{speed * 1e9 / ours.bandwidth:.0%}" if ours.bandwidth else "",
        ]
        peers = {}
        for other in others:
            if query not in other.times:
                row.append("error" if query in other.errors else "")
                continue
            peers[other.engine] = other.times[query][2]
            mark = ""
            if not same_rows(ours.rows[query], other.rows[query]):
                different.append((query, other))
                mark = " **rows differ**"
            row.append(f"{other.times[query][2]:.2f} ({hot / other.times[query][2]:.2f}){mark}")
        best = min(peers, key=peers.get, default="")
        row += [f"{best.split(',')[0].split(' ')[0]} {peers[best]:.2f}", f"{hot / peers[best]:.2f}"] if best else ["", ""]
        rows.append(row)
    means = ["geometric mean", "", f"{geometric_mean([t[2] for t in ours.times.values()]):.2f}", "", ""]
    for other in others:
        both = [q for q in ours.times if q in other.times]
        mean = geometric_mean([other.times[q][2] for q in both])
        ratio = geometric_mean([ours.times[q][2] / other.times[q][2] for q in both])
        means.append(f"{mean:.2f} ({ratio:.2f})" + (f" of {len(both)}" if len(both) < len(ours.times) else ""))
    best_ratios = [
        ours.times[q][2] / min(o.times[q][2] for o in others if q in o.times)
        for q in ours.times
        if any(q in o.times for o in others)
    ]
    means += ["", f"{geometric_mean(best_ratios):.2f}" if best_ratios else ""]
    rows.append(means)
    header = ["query", "rows", "Quarrel hot", "GB/s", "share", *(f"{o.engine} (ratio)" for o in others), "best peer", "ratio"]
    lines += table(header, rows)
    lines += ["First and third run of a query that the process has not seen, ms, and by its hot time:", ""]
    starts = []
    for query, (first, third, hot, _, _) in ours.times.items():
        row = [query, f"{first:.1f} ({first / hot:.1f})", f"{third:.1f} ({third / hot:.1f})"]
        for other in others:
            row.append(f"{other.times[query][0]:.1f} ({other.times[query][0] / other.times[query][2]:.1f})" if query in other.times else "")
        starts.append(row)
    lines += table(["query", "Quarrel first", "third", *(f"{o.engine} first" for o in others)], starts)
    for engine in measured:
        lines.append(f"- {engine.engine}: peak RssAnon {engine.memory / 1024:,.0f} MiB; opened or loaded in {engine.load:,.0f} ms")
        lines += [f"  - {query}: {message}" for query, message in engine.errors.items()]
    count = len(ours.times)
    lines.append(f"- rows: {'equal in all engines' if not different else 'NOT EQUAL, see below'}, {count} queries")
    for query, other in different:
        lines += ["", f"{query}, {other.engine}: first rows that differ", "", "```"]
        mine, theirs = ours.rows[query], other.rows[query]
        at = next((i for i, (a, b) in enumerate(zip(mine, theirs)) if not all(map(same_cell, a, b))), min(len(mine), len(theirs)))
        lines += [f"Quarrel {len(mine)} rows: {mine[at : at + 3]}", f"{other.engine} {len(theirs)} rows: {theirs[at : at + 3]}", "```"]
    text = "\n".join(lines) + "\n"
    name = f"{arguments.suite}-{arguments.scale.split(',')[0].replace(' ', '')}-{now:%Y%m%d-%H%M%S}.md".lower()
    (arguments.results / name).write_text(text, encoding="utf-8")
    print(text)
    print(f"written to bench/results/{name}", file=sys.stderr)
    if different:
        print("ROWS DIFFER: " + ", ".join(f"{query} on {other.engine}" for query, other in different), file=sys.stderr)
        sys.exit(1)


main()
