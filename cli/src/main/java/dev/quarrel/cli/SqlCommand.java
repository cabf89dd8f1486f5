package dev.quarrel.cli;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.cli.rows.ArrowWriter;
import dev.quarrel.cli.rows.CopyWriter;
import dev.quarrel.cli.rows.JsonWriter;
import dev.quarrel.cli.rows.RowWriter;
import dev.quarrel.cli.rows.TableWriter;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.server.config.ServerConfig;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `quarrel sql`: statements over a dataset, in this process.
@Command(
        name = "sql",
        description = "Runs SQL statements over a dataset and writes their rows to stdout.",
        mixinStandardHelpOptions = true)
final class SqlCommand implements Callable<Integer> {
    /// How rows are written.
    enum Format {
        table,
        csv,
        json,
        arrow,
        parquet
    }

    @Mixin
    private EngineOptions engineOptions;

    @Option(
            names = {"-c", "--command"},
            paramLabel = "SQL",
            description = "One or more statements, separated by semicolons; without it they are read from stdin.")
    private List<String> commands = List.of();

    @Option(
            names = "--format",
            defaultValue = "table",
            description =
                    "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. arrow is an IPC file, for one query; parquet likewise.")
    private Format format;

    @Option(
            names = "--copy",
            paramLabel = "OPTIONS",
            description = "Writes each query's rows as COPY (…) TO STDOUT (OPTIONS) does, such as: format csv, header.")
    private String copy;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Writes to FILE instead of stdout; an error leaves what was there before.")
    private Path output;

    @Override
    public Integer call() throws IOException {
        if (output == null) {
            return runAll(new BufferedOutputStream(System.out, 1 << 16));
        }
        try (ReplacedFile file = ReplacedFile.begin(output)) {
            int code = runAll(new BufferedOutputStream(file.stream(), 1 << 16));
            if (code == 0) {
                file.replace();
            }
            return code;
        }
    }

    private int runAll(OutputStream out) throws IOException {
        List<String> texts = commands;
        if (texts.isEmpty()) {
            texts = List.of(new String(System.in.readAllBytes(), StandardCharsets.UTF_8));
        }
        String user = System.getProperty("user.name");
        try (Engine engine = EngineOptions.open(engineOptions.applyTo(ServerConfig.defaults()), List.of(user));
                SqlSession session = engine.openSession(user)) {
            session.onNotice(notice -> System.err.println(notice.severity() + ":  " + notice.message()));
            try (RowWriter writer = writer(out)) {
                for (String text : texts) {
                    if (!runAll(session, text, writer, out)) {
                        return Main.FAILED;
                    }
                }
            }
        }
        return 0;
    }

    private RowWriter writer(OutputStream out) {
        return switch (format) {
            case table -> new TableWriter(new Utf8Text(out));
            case csv -> new CopyWriter(out, CopyOptions.CSV_WITH_HEADER);
            case json -> new JsonWriter(new Utf8Text(out));
            case arrow -> new ArrowWriter(out);
            case parquet -> new CopyWriter(out, CopyOptions.of(CopyOptions.Format.PARQUET));
        };
    }

    /// Runs the statements of one text until one fails; says then what is wrong, and gives false.
    private boolean runAll(SqlSession session, String text, RowWriter writer, OutputStream out) throws IOException {
        String read = text; // what an error's place counts in
        try {
            for (ParsedStatement statement : session.parse(text)) {
                if (statement.isEmpty()) {
                    continue;
                }
                if (copy == null) {
                    run(session, statement, writer, out);
                } else {
                    read = copied(statement);
                    run(session, session.parse(read).getFirst(), writer, out);
                }
                session.endImplicitTransaction();
                if (isReaderGone()) {
                    return false;
                }
            }
            return true;
        } catch (QueryException error) {
            out.flush();
            System.out.flush();
            System.err.print(ErrorText.of(error, read));
            return false;
        } finally {
            out.flush();
        }
    }

    private String copied(ParsedStatement query) {
        return "COPY (" + query.text() + "\n) TO STDOUT WITH (" + copy + ")";
    }

    private void run(SqlSession session, ParsedStatement statement, RowWriter writer, OutputStream out)
            throws IOException {
        PreparedQuery query = session.prepare(statement, List.of());
        try (Execution execution = session.execute(query, List.of(), new Cancellation())) {
            if (execution.cursor() == null) {
                if (writer.tellsTags()) {
                    out.write((execution.commandTag(0) + "\n").getBytes(StandardCharsets.UTF_8));
                }
                return;
            }
            if (query.copy() != null) {
                writeAll(execution, query, new CopyWriter(out, query.copy()));
            } else {
                writeAll(execution, query, writer);
            }
        }
    }

    private void writeAll(Execution execution, PreparedQuery query, RowWriter writer) throws IOException {
        long rowCount = 0;
        writer.begin(query.columns());
        while (true) {
            try (Batch batch = execution.cursor().next()) {
                if (batch == null) {
                    break;
                }
                if (isReaderGone()) {
                    return;
                }
                writer.write(batch);
                rowCount += batch.rowCount();
            }
        }
        writer.end(rowCount);
    }

    /// `… | head` has seen enough: there is nobody to write for, and nobody to tell.
    private boolean isReaderGone() {
        return output == null && System.out.checkError();
    }
}
