"""Puts the engines' measurements side by side, compares their rows, and writes one markdown file."""

import argparse
import datetime
import pathlib
import platform
import sys


class Measured:
    def __init__(self, path):
        self.engine, self.times, self.rows, self.memory, self.load = path.stem, {}, {}, None, None
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, *rest = line.split("\t")
            if kind == "engine":
                self.engine = rest[0]
            elif kind == "load":
                self.load = float(rest[0])
            elif kind == "memory":
                self.memory = int(rest[0])
            elif kind == "time":
                self.times[rest[0]] = tuple(map(float, rest[1:]))
                self.rows.setdefault(rest[0], [])
            elif kind == "row":
                self.rows[rest[0]].append(tuple(rest[1:]))


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("measurements", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    for name in ("sf", "data", "runs", "threads", "label", "commit"):
        parser.add_argument("--" + name, default="")
    arguments = parser.parse_args()
    ours, *others = [
        Measured(path)
        for name in ("quarrel", "duckdb-arrow", "duckdb-native")
        if (path := arguments.measurements / f"{name}.tsv").exists()
    ]
    now = datetime.datetime.now(datetime.timezone.utc)
    size = sum(file.stat().st_size for file in pathlib.Path(arguments.data).rglob("*.arrow"))
    lines = [
        f"# Star Schema Benchmark, scale factor {arguments.sf}",
        "",
        f"- {now:%Y-%m-%d %H:%M} UTC, commit {arguments.commit}" + (f", {arguments.label}" if arguments.label else ""),
        f"- machine: {cpu_model()}, {arguments.threads} threads, {memory_gib():.0f} GiB, {platform.system()} {platform.release()}",
        f"- data: {size / 1e6:,.0f} MB of Arrow files; "
        f"hot: median (min–max) of {arguments.runs} runs after 3 of warm-up; first: the first run of that query",
        "- time: SQL text in, last row out, planning included, in process",
        "",
    ]
    header = ["query", "rows", ours.engine + ", first ms", "hot ms"]
    for other in others:
        header += [other.engine + ", first ms", "hot ms", "ratio"]
    header += ["rows equal"] if others else []
    lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    different = []
    for query, (first, hot, low, high) in ours.times.items():
        row = [query, str(len(ours.rows[query])), f"{first:.1f}", f"{hot:.2f} ({low:.2f}–{high:.2f})"]
        for other in others:
            o_first, o_hot, o_low, o_high = other.times[query]
            row += [f"{o_first:.1f}", f"{o_hot:.2f} ({o_low:.2f}–{o_high:.2f})", f"{hot / o_hot:.2f}"]
            if other.rows[query] != ours.rows[query]:
                different.append(f"{query} on {other.engine}")
        row += ["no" if any(d.startswith(query + " ") for d in different) else "yes"] if others else []
        lines.append("| " + " | ".join(row) + " |")
    sums = ["sum", "", f"{sum(t[0] for t in ours.times.values()):.1f}", f"{sum(t[1] for t in ours.times.values()):.2f}"]
    for other in others:
        o_sum = sum(t[1] for t in other.times.values())
        sums += [f"{sum(t[0] for t in other.times.values()):.1f}", f"{o_sum:.2f}", f"{sum(t[1] for t in ours.times.values()) / o_sum:.2f}"]
    sums += ["all" if not different else "NOT ALL"] if others else []
    lines += ["| " + " | ".join(sums) + " |", ""]
    for engine in (ours, *others):
        lines.append(
            f"- {engine.engine}: peak RssAnon {engine.memory / 1024:,.0f} MiB; opened or loaded in {engine.load:,.0f} ms"
        )
    text = "\n".join(lines) + "\n"
    name = f"ssb-sf{arguments.sf}-{now:%Y%m%d-%H%M%S}.md"
    (arguments.results / name).write_text(text, encoding="utf-8")
    print(text)
    print(f"written to bench/results/{name}", file=sys.stderr)
    if different:
        print("rows differ: " + ", ".join(different), file=sys.stderr)
        sys.exit(1)


main()
