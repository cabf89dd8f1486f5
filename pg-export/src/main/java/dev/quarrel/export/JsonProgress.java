package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.type.QueryException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// Reports the progress of an export to programs: one JSON object per line, each with its `event`.
///
/// | event | members |
/// |---|---|
/// | `begin` | what the manifest tells of a run (`source`, `snapshot`, `lsn`, …), `tables`, `estimatedRows` |
/// | `notice` | `text` |
/// | `table_begin` | `table`, `estimatedRows` |
/// | `progress` | `rows`, `copyBytes`, `seconds`: of the whole export so far; at most one a second |
/// | `table_end` | `table`, `rows`, `batches`, `bytes`, `copyBytes`, `seconds`, `file` |
/// | `end` | `output`, `tables`, `rows`, `bytes`, `seconds` |
/// | `error` | `code` (SQLSTATE), `message`, `detail`, `hint` |
///
/// `file` of a table in folders is the folder that holds them. The last line is an `end` or an `error`. What is not
/// known is null. Members may come to be added.
public final class JsonProgress implements ExportProgress {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final PrintStream out;
    private final long startNanos = System.nanoTime();
    private final AtomicLong toldNanos = new AtomicLong(startNanos);
    private final LongAdder rows = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    public JsonProgress(PrintStream out) {
        this.out = out;
    }

    /// An event on its way, member by member.
    private static final class Event {
        private final Map<String, String> members = new LinkedHashMap<>();

        Event(String name) {
            text("event", name);
        }

        Event text(String name, String value) {
            members.put(name, value == null ? "null" : quoted(value));
            return this;
        }

        Event number(String name, long value) {
            members.put(name, Long.toString(value));
            return this;
        }

        /// An estimate, or -1 where there is none.
        Event estimate(String name, long value) {
            members.put(name, value < 0 ? "null" : Long.toString(value));
            return this;
        }

        Event seconds(long nanos) {
            members.put("seconds", String.format(Locale.ROOT, "%.3f", nanos / 1e9));
            return this;
        }

        @Override
        public String toString() {
            StringBuilder line = new StringBuilder("{");
            members.forEach((name, value) -> line.append(line.length() == 1 ? "" : ",")
                    .append(quoted(name))
                    .append(':')
                    .append(value));
            return line.append('}').toString();
        }

        private static String quoted(String text) {
            StringBuilder quoted = new StringBuilder("\"");
            for (int at = 0; at < text.length(); at++) {
                char next = text.charAt(at);
                if (next == '"' || next == '\\') {
                    quoted.append('\\').append(next);
                } else if (next < ' ' || Character.isSurrogate(next)) {
                    quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
                } else {
                    quoted.append(next);
                }
            }
            return quoted.append('"').toString();
        }
    }

    private void tell(Event event) {
        synchronized (out) {
            out.println(event);
            out.flush();
        }
    }

    @Override
    public void begun(Manifest.Origin origin, int tables, long estimatedRows) {
        tell(new Event("begin")
                .text("source", origin.source())
                .text("snapshot", origin.snapshot())
                .text("snapshotId", origin.snapshotId())
                .text("lsn", origin.lsn())
                .text("systemIdentifier", origin.systemIdentifier())
                .text("serverVersion", origin.serverVersion())
                .number("tables", tables)
                .estimate("estimatedRows", estimatedRows));
    }

    @Override
    public void notice(String text) {
        tell(new Event("notice").text("text", text));
    }

    @Override
    public void tableStarted(String table, long estimatedRows) {
        tell(new Event("table_begin").text("table", table).estimate("estimatedRows", estimatedRows));
    }

    @Override
    public void advanced(String table, long newRows, long newBytes) {
        rows.add(newRows);
        bytes.add(newBytes);
        long now = System.nanoTime();
        long told = toldNanos.get();
        if (now - told >= PAUSE_NANOS && toldNanos.compareAndSet(told, now)) {
            tell(new Event("progress")
                    .number("rows", rows.sum())
                    .number("copyBytes", bytes.sum())
                    .seconds(now - startNanos));
        }
    }

    @Override
    public void tableFinished(ExportReport.TableReport table) {
        Event event = new Event("table_end")
                .text("table", table.qualifiedName())
                .number("rows", table.rowCount())
                .number("batches", table.batchCount())
                .number("bytes", table.byteSize())
                .number("copyBytes", table.copyBytes())
                .seconds(table.elapsed().toNanos())
                .text("file", table.file().toString());
        if (table.change() != null) {
            event.number("replaced", table.change().replaced())
                    .number("deleted", table.change().deleted())
                    .number("totalRows", table.change().rowCount());
        }
        tell(event);
    }

    /// The last line of an export that succeeded.
    public void ended(ExportReport report) {
        tell(new Event("end")
                .text("output", report.output().toString())
                .number("tables", report.tables().size())
                .number("rows", report.rowCount())
                .number("bytes", report.byteSize())
                .seconds(report.elapsed().toNanos()));
    }

    /// The last line of one that did not.
    public void failed(QueryException failure) {
        tell(new Event("error")
                .text("code", failure.state().code())
                .text("message", failure.getMessage())
                .text("detail", failure.detail())
                .text("hint", failure.hint()));
    }
}
