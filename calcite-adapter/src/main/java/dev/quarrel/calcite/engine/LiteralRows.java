package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;

/// VALUES of nothing but literals, for a table: their texts are read as those of COPY, which takes a plan's making out
/// of each of the many INSERTs that a client sends with its values written out.
///
/// Only such literals are some of which an assignment makes what COPY's reading makes: a number for a number's column,
/// a string for one of a type that has a text form of its own, NULL, true and false. All else, and what turns out to
/// be wrong, is left to the planner, which has the right answer or the right error.
final class LiteralRows {
    private static final int MOST_ROWS = 1 << 12;

    private static final Set<PgType> WHOLE = Set.of(PgType.INT2, PgType.INT4, PgType.INT8);
    private static final Set<PgType> NUMBERS = Set.of(PgType.NUMERIC, PgType.FLOAT4, PgType.FLOAT8);
    private static final Set<PgType> TIMES = Set.of(PgType.DATE, PgType.TIMESTAMP, PgType.TIMESTAMPTZ);
    private static final Set<PgType> TEXTS =
            Set.of(PgType.TEXT, PgType.VARCHAR, PgType.BPCHAR, PgType.UUID, PgType.BOOL);

    private final List<List<Cell>> rows;

    private LiteralRows(List<List<Cell>> rows) {
        this.rows = rows;
    }

    private enum Kind {
        NULL,
        BOOLEAN,
        WHOLE,
        DECIMAL,
        STRING
    }

    /// A literal.
    ///
    /// @param text of its value; null for NULL
    /// @param cast the type that it is cast to; null for none
    private record Cell(Kind kind, String text, PgType cast) {
        static final Cell NULL = new Cell(Kind.NULL, null, null);

        /// Whether COPY's reading makes of the text what the column is assigned.
        boolean fits(PgType.Declared column) {
            PgType type = column.type();
            if (cast != null && (cast != type || column.typmod() >= 0)) {
                return false;
            }
            return switch (kind) {
                case NULL -> true;
                case BOOLEAN -> type == PgType.BOOL;
                case WHOLE -> WHOLE.contains(type) || NUMBERS.contains(type);
                case DECIMAL -> NUMBERS.contains(type);
                case STRING ->
                    TEXTS.contains(type)
                            || WHOLE.contains(type)
                            || NUMBERS.contains(type)
                            || TIMES.contains(type) && !TimeWords.isIn(text);
            };
        }
    }

    /// The rows; null where they are others, or many.
    static LiteralRows of(Statement.Insert insert) {
        if (insert.query().parameterCount() > 0
                || !(insert.query().node() instanceof SqlCall values)
                || values.getKind() != SqlKind.VALUES
                || values.operandCount() > MOST_ROWS) {
            return null;
        }
        List<List<Cell>> rows = new ArrayList<>();
        for (SqlNode row : values.getOperandList()) {
            List<Cell> cells = new ArrayList<>();
            for (SqlNode value : ((SqlCall) row).getOperandList()) {
                Cell cell = cell(value);
                if (cell == null) {
                    return null;
                }
                cells.add(cell);
            }
            if (!rows.isEmpty() && rows.getFirst().size() != cells.size()) {
                return null;
            }
            rows.add(cells);
        }
        boolean areListed = !insert.columns().isEmpty();
        return areListed && insert.columns().size() != rows.getFirst().size() ? null : new LiteralRows(rows);
    }

    private static Cell cell(SqlNode node) {
        return switch (node) {
            case SqlLiteral literal -> literal(literal);
            case SqlCall call
            when call.getKind() == SqlKind.MINUS_PREFIX -> {
                Cell number = call.operand(0) instanceof SqlNumericLiteral literal ? literal(literal) : null;
                yield number == null ? null : of(new BigDecimal(number.text()).negate());
            }
            case SqlCall call
            when call.getOperator() == PostgresOperators.TYPED_LITERAL -> cast(call.operand(1), call.operand(0));
            case SqlCall call when call.getKind() == SqlKind.CAST -> cast(call.operand(0), call.operand(1));
            default -> null;
        };
    }

    private static Cell cast(SqlNode value, SqlNode type) {
        Cell cell = value instanceof SqlLiteral literal ? literal(literal) : null;
        PgType named = type instanceof SqlDataTypeSpec spec ? plain(spec) : null;
        return cell == null || cell.kind() != Kind.STRING || named == null
                ? null
                : new Cell(Kind.STRING, cell.text(), named);
    }

    /// A type whose text form a string has that is cast to it, by name alone.
    private static PgType plain(SqlDataTypeSpec spec) {
        if (!(spec.getTypeNameSpec() instanceof PostgresTypeName name)
                || name.dimensions() > 0
                || name.isQuoted()
                || name.schema() != null
                || name.withTimeZone() != null
                || !name.modifiers().isEmpty()) {
            return null;
        }
        PgType type = PgType.named(name.name()).orElse(null);
        return type == PgType.UUID || type != null && TIMES.contains(type) ? type : null;
    }

    private static Cell literal(SqlLiteral literal) {
        return switch (literal.getTypeName()) {
            case NULL -> Cell.NULL;
            case BOOLEAN -> new Cell(Kind.BOOLEAN, literal.booleanValue() ? "t" : "f", null);
            case DECIMAL -> of(literal.bigDecimalValue());
            case CHAR -> new Cell(Kind.STRING, literal.getValueAs(String.class), null);
            default -> null;
        };
    }

    private static Cell of(BigDecimal number) {
        return new Cell(number.scale() == 0 ? Kind.WHOLE : Kind.DECIMAL, number.toPlainString(), null);
    }

    int width() {
        return rows.getFirst().size();
    }

    /// Whether the first of the columns take all of them so.
    boolean fit(Schema columns) {
        if (columns.size() < width()) {
            return false;
        }
        List<PgType.Declared> types =
                columns.fields().stream().map(PgType.Declared::of).toList();
        for (List<Cell> row : rows) {
            for (int column = 0; column < width(); column++) {
                if (!row.get(column).fits(types.get(column))) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Reads them.
    ///
    /// - Memory: the caller closes the batch.
    ///
    /// @param columns that they fit
    /// @return null where a value is none of its column's
    Batch read(Schema columns, PgParse.Moment moment) {
        CopyOptions text = CopyOptions.TEXT;
        CsvFile.Rules rules = new CsvFile.Rules(false, false, Set.of(), Set.of(), Set.of(), false, 0, moment);
        byte[] bytes = written(text).getBytes(StandardCharsets.UTF_8);
        try (CsvFile file =
                CsvFile.ofText("VALUES", new ByteArrayInputStream(bytes), CopyInto.format(text), columns, rules)) {
            return file.next(MOST_ROWS);
        } catch (QueryException _) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String written(CopyOptions format) {
        StringBuilder text = new StringBuilder();
        for (List<Cell> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                if (column > 0) {
                    text.append((char) format.delimiter());
                }
                String value = row.get(column).text();
                if (value == null) {
                    text.append(format.nullText());
                } else {
                    escape(value, text);
                }
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static void escape(String value, StringBuilder text) {
        for (int at = 0; at < value.length(); at++) {
            char each = value.charAt(at);
            switch (each) {
                case '\\' -> text.append("\\\\");
                case '\t' -> text.append("\\t");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                default -> text.append(each);
            }
        }
    }
}
