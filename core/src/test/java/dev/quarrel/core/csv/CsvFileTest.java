package dev.quarrel.core.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvFileTest {
    private static final CsvFormat PLAIN = CsvFormat.USUAL.withHeader(false);

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /// A byte at a time: no place where a buffer ends may matter.
    private static InputStream slow(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(1, length));
            }
        };
    }

    /// Read in one go, byte by byte, and by several threads: the same each time, rows or error.
    private static List<String> rows(String text, String columns, CsvFormat format) throws IOException {
        return rows(text, columns, format, 1);
    }

    /// @param scale so many times as many rows in a batch as where there are few
    private static List<String> rows(String text, String columns, CsvFormat format, int scale) throws IOException {
        List<Object> outcomes = new ArrayList<>();
        QueryException wrong = null;
        Schema schema = new Schema(ColumnList.parse(columns));
        for (int batchRows : new int[] {3, 1, 2}) {
            try (ExecutorService threads = Executors.newFixedThreadPool(3);
                    CsvFile file = new CsvFile("f.csv", batchRows == 1 ? slow(text) : bytes(text), format, schema)) {
                if (batchRows == 2) {
                    file.readAhead(threads, 3);
                }
                outcomes.add(lines(file, batchRows * scale));
            } catch (QueryException e) {
                wrong = e;
                outcomes.add(e.state() + " " + e.getMessage() + " " + e.context());
            }
        }
        assertThat(outcomes).allMatch(outcomes.getFirst()::equals);
        if (wrong != null) {
            throw wrong;
        }
        return lines(new CsvFile("f.csv", bytes(text), format, schema), 3 * scale);
    }

    private static List<String> lines(CsvFile file, int batchRows) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Batch batch = file.next(batchRows); batch != null; batch = file.next(batchRows)) {
            try (Batch owned = batch) {
                for (int row = 0; row < owned.rowCount(); row++) {
                    List<String> cells = new ArrayList<>();
                    for (Column column : owned.columns()) {
                        TextBuffer cell = new TextBuffer();
                        if (column.validity().isPresent(row)) {
                            PgText.append(column, row, cell);
                        }
                        cells.add(column.validity().isPresent(row) ? cell.toString() : "~");
                    }
                    lines.add(String.join("|", cells));
                }
            }
        }
        return lines;
    }

    /// As PostgreSQL 18's COPY reads them; `\n` and `\r` stand for line ends.
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "a,b;a|b",
                "a,b\\n;a|b",
                "a,b\\nc,d\\n;a|b/c|d",
                "a,b\\r\\nc,d\\r\\n;a|b/c|d",
                "a,b\\rc,d\\r;a|b/c|d",
                ",;~|~",
                "\"\",;|~",
                "\"x,\"\"y\"\"\",\"1\\n2\";x,\"y\"|1\\n2",
                "a\"b,c\"d,e;ab,cd|e",
                "\"a\"\"b\"c,d;a\"bc|d",
                "é,\"ü\";é|ü",
                "\uFEFFa,b;a|b",
                "\\\\.,x;\\.|x",
            })
    void rowsAreCutAsPostgresqlDoes(String text, String expected) throws IOException {
        String csv = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\");
        assertThat(String.join("/", rows(csv, "a text, b text", PLAIN))).isEqualTo(expected.replace("\\n", "\n"));
    }

    @Test
    void otherCharactersAreTaken() throws IOException {
        CsvFormat format = new CsvFormat((byte) '\t', (byte) '\'', (byte) '\\', "NULL", true);
        assertThat(rows("a\tb\n'x\\'y\\\\'\tNULL\n'NULL'\t\n", "a text, b text", format))
                .containsExactly("x'y\\|~", "NULL|");
    }

    @Test
    void longRowsAndManyOfThemFit() throws IOException {
        String longText = "x".repeat(3_000_000);
        StringBuilder csv = new StringBuilder();
        for (int row = 0; row < 50_000; row++) {
            csv.append(row).append(",\"a \"\"b\"\"\n").append(row).append("\"\n");
        }
        csv.append("7,").append(longText).append('\n');
        List<String> rows = rows(csv.toString(), "n int, t text", PLAIN, 5_000);
        assertThat(rows).hasSize(50_001);
        assertThat(rows.get(40_000)).isEqualTo("40000|a \"b\"\n40000");
        assertThat(rows.getLast()).isEqualTo("7|" + longText);
    }

    /// What is read from the bytes at once is what a literal of the type is.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "smallint",
                "integer",
                "bigint",
                "double precision",
                "real",
                "numeric(10,2)",
                "numeric(38,5)",
                "numeric",
                "date",
                "timestamp",
                "timestamptz",
                "timestamp(3)",
                "boolean",
                "uuid",
                "time",
                "interval",
                "varchar(4)",
                "char(4)",
                "bytea",
                "jsonb"
            })
    void valuesAreThoseOfLiterals(String name) throws IOException {
        Random random = new Random(20261127);
        List<String> samples = new ArrayList<>(List.of(
                "0",
                "-0",
                "1",
                "-1",
                "+5",
                " 7 ",
                "007",
                "32767",
                "32768",
                "-2147483648",
                "9223372036854775807",
                "1e3",
                "1.5",
                "-.25",
                "3.",
                "NaN",
                "Infinity",
                "123456789012345678901",
                "0.005",
                "12345678.995",
                "99999999.99",
                "2024-02-29",
                "2023-02-29",
                "0001-01-01",
                "2024-01-01 BC",
                "infinity",
                "2024-02-29 12:34:56",
                "2024-02-29T12:34:56.789",
                "2024-02-29 23:59:59.999999",
                "2024-02-29 24:00:00",
                "2024-02-29 12:34:60",
                "2024-02-29 12:34:56Z",
                "2024-02-29 12:34:56.5+00",
                "2024-02-29 12:34:56+02",
                "9999-12-31",
                "t",
                "false",
                "yes",
                "12:34",
                "1 day",
                "abc",
                "abcde",
                "a  ",
                "\\x4142",
                "{}",
                "[1, 2]",
                "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
        for (int sample = 0; sample < 200; sample++) {
            samples.add(Long.toString(random.nextLong() >> random.nextInt(63)));
            samples.add(Double.toString((random.nextInt(2_000_000) - 1_000_000) / 1000.0));
        }
        PgType.Declared declared = PgType.parse(name);
        for (String sample : samples) {
            String expected;
            try {
                expected = "ok " + PgText.text(PgParse.literal(sample, declared));
            } catch (QueryException e) {
                expected = e.state() + " " + e.getMessage();
            }
            if (declared.length() >= 0 && sample.stripTrailing().length() > declared.length()) {
                expected = "STRING_DATA_RIGHT_TRUNCATION value too long for type " + declared.text(); // as a cast cuts
            }
            String found;
            try {
                found = "ok " + rows('"' + sample + '"', "c " + name, PLAIN).getFirst();
            } catch (QueryException e) {
                found = e.state() + " " + e.getMessage();
            }
            assertThat(found).as(name + " '" + sample + "'").isEqualTo(expected);
        }
    }

    @Test
    void whatIsWrongNamesItsPlace() {
        assertWrong(
                "1,a\n2,b\nx,c\n", "invalid input syntax for type integer: \"x\"", "f.csv, line 3, column n: \"x\"");
        assertWrong("1,\"a\nb\"\n2\n", "missing data for column \"t\"", "f.csv, line 3: \"2\"");
        assertWrong("1,a,b\n", "extra data after last expected column", "f.csv, line 1: \"1,a,b\"");
        assertWrong("1,\"a\n", "unterminated CSV quoted field", "f.csv, line 2: \"1,\"a\n\"");
        assertWrong("1,a\r\n2,b\n", "unquoted newline found in data", "f.csv, line 2");
        assertWrong("1,a\n2,b\r", "unquoted carriage return found in data", "f.csv, line 2");
        assertWrong(
                "1,a\n" + "é".repeat(60) + ",b\n",
                "invalid input syntax for type integer: \"" + "é".repeat(60) + "\"",
                "f.csv, line 2, column n: \"" + "é".repeat(50) + "...\"");
        assertWrong(",a\n", "null value in column \"n\" violates not-null constraint", "f.csv, line 1: \",a\"");
    }

    /// A text that does not fit is no value of the column: a cast would cut it.
    @Test
    void textsMustFit() throws IOException {
        assertThat(rows("abc,ab\nab  ,\n", "v varchar(3), c char(3)", PLAIN)).containsExactly("abc|ab ", "ab |~");
        assertThatThrownBy(() -> rows("abcd,a\n", "v varchar(3), c char(3)", PLAIN))
                .hasMessage("value too long for type character varying(3)");
        assertThatThrownBy(() -> rows("ä€𝄞,abcd\n", "v varchar(3), c char(3)", PLAIN))
                .hasMessage("value too long for type character(3)");
    }

    private static List<String> text(String text, String columns) throws IOException {
        CsvFormat format = new CsvFormat((byte) '\t', (byte) '"', (byte) '"', "\\N", false);
        try (CsvFile file =
                CsvFile.ofText("f", slow(text), format, new Schema(ColumnList.parse(columns)), CsvFile.Rules.usual())) {
            return lines(file, 2);
        }
    }

    /// Rows of all sizes, of which one is above a block's: as they were written, whoever reads them.
    @Test
    void manyRowsAreReadAhead() throws IOException {
        long seed = Long.getLong("quarrel.test.seed", 20261128);
        System.out.println("CsvFileTest.manyRowsAreReadAhead: seed " + seed);
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        StringBuilder csv = new StringBuilder();
        for (int row = 0; row < 4_000; row++) {
            int length = row == 1_100 ? 34_000_000 : row % 400 == 7 ? random.nextInt(700_000) : random.nextInt(40);
            String filler = "ab,é\n\"x\r".repeat(length / 8 + 1).substring(0, length);
            boolean isNull = row % 7 == 3;
            expected.add(row + "|" + (isNull ? "~" : filler) + "|" + (isNull ? "~" : row * 0.5));
            csv.append(row).append(',');
            if (!isNull) {
                csv.append('"').append(filler.replace("\"", "\"\"")).append('"');
            }
            csv.append(',').append(isNull ? "" : row * 0.5).append("\r\n");
        }
        Schema schema = new Schema(ColumnList.parse("n int, t text, d numeric(9,1)"));
        try (ExecutorService threads = Executors.newFixedThreadPool(3);
                CsvFile file = new CsvFile("f.csv", bytes(csv.toString()), PLAIN, schema)) {
            file.readAhead(threads, 3);
            assertThat(lines(file, 900).equals(expected)).isTrue();
        }
    }

    /// Batches have as many rows as they may, of however many blocks, and none but the last has fewer.
    @Test
    void blocksAreJoined() throws IOException {
        int count = 500_000;
        StringBuilder csv = new StringBuilder();
        for (int row = 0; row < count; row++) {
            csv.append(row).append(",r\n");
        }
        Schema schema = new Schema(ColumnList.parse("n int, t text"));
        for (int threadCount : new int[] {0, 2}) {
            List<Integer> sizes = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(2);
                    CsvFile file = new CsvFile("f.csv", bytes(csv.toString()), PLAIN, schema)) {
                if (threadCount > 0) {
                    file.readAhead(threads, threadCount);
                }
                int next = 0;
                for (Batch batch = file.next(200_000); batch != null; batch = file.next(200_000)) {
                    try (Batch owned = batch) {
                        sizes.add(owned.rowCount());
                        FixedColumn numbers = (FixedColumn) owned.column(0);
                        for (int row = 0; row < owned.rowCount(); row++) {
                            assertThat(numbers.values().getAtIndex(ValueLayout.JAVA_INT, row) == next++)
                                    .isTrue();
                        }
                    }
                }
            }
            assertThat(sizes).containsExactly(200_000, 200_000, 100_000);
        }
    }

    /// A wrong row is told when few rows behind it were read: who sends more is not left waiting, and what is read
    /// ahead has little of the heap.
    @Test
    void littleIsReadBehindAnError() throws IOException {
        byte[] good = "1,a\n".repeat(1 << 18).getBytes(StandardCharsets.UTF_8);
        long[] read = {0};
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return fail("one by one");
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                for (int at = 0; at < length; at++, read[0]++) {
                    target[offset + at] = read[0] == 400_000 ? (byte) 'x' : good[(int) (read[0] % good.length)];
                }
                return length;
            }
        };
        Schema schema = new Schema(ColumnList.parse("n int, t text"));
        try (ExecutorService threads = Executors.newFixedThreadPool(2);
                CsvFile file = new CsvFile("f.csv", endless, PLAIN, schema)) {
            file.readAhead(threads, 2);
            assertThatThrownBy(() -> file.next(1 << 18))
                    .isInstanceOf(QueryException.class)
                    .hasMessage("invalid input syntax for type integer: \"x\"");
        }
        assertThat(read[0]).isLessThan(16L << 20);
    }

    @Test
    void theFirstErrorIsTold() throws IOException {
        String good = "1,a\n".repeat(1000);
        String csv = good + "x,a\n" + good + "1\n" + good + "1,\"";
        assertWrong(csv, "invalid input syntax for type integer: \"x\"", "f.csv, line 1001, column n: \"x\"");
        assertWrong(good + "1,\"a\n\nb\"\n1\n" + csv, "missing data for column \"t\"", "f.csv, line 1004: \"1\"");
        assertWrong(good + "1,\"a\n", "unterminated CSV quoted field", "f.csv, line 1002: \"1,\"a\n\"");
    }

    /// Rows left out are counted in their order.
    @Test
    void tooManyRowsAreLeftOut() throws IOException {
        String csv = "1,a\nx,b\n".repeat(5) + "1\n";
        Schema schema = new Schema(ColumnList.parse("n int, t text"));
        for (int ahead : new int[] {0, 3}) {
            for (int limit : new int[] {3, 4, 5}) {
                CsvFile.Rules rules =
                        new CsvFile.Rules(true, false, Set.of(), Set.of(), Set.of(), true, limit, PgParse.Moment.utc());
                try (ExecutorService threads = Executors.newFixedThreadPool(3);
                        CsvFile file = new CsvFile("f.csv", bytes(csv), PLAIN, schema, rules)) {
                    if (ahead > 0) {
                        file.readAhead(threads, ahead);
                    }
                    assertThatThrownBy(() -> lines(file, 2))
                            .isInstanceOf(QueryException.class)
                            .hasMessage(
                                    limit == 5
                                            ? "missing data for column \"t\""
                                            : "skipped more than REJECT_LIMIT (" + limit
                                                    + ") rows due to data type incompatibility")
                            .satisfies(e -> assertThat(((QueryException) e).context())
                                    .isEqualTo(
                                            limit == 5
                                                    ? "f.csv, line 11: \"1\""
                                                    : "f.csv, line " + 2 * (limit + 1) + ", column n: \"x\""));
                }
            }
        }
    }

    @Test
    void theTextFormatIsCut() throws IOException {
        assertThat(text("1\ta\n2\t\\N\n3\t\n", "n int, t text")).containsExactly("1|a", "2|~", "3|");
        assertThat(text("1\ta\\tb\\\\c\\101\\x42\\q\\\n\n", "n int, t text")).containsExactly("1|a\tb\\cABq\n");
        assertThat(text("1\ta\r\n2\tb\r\n", "n int, t text")).containsExactly("1|a", "2|b");
        assertThat(text("1\ta\r2\tb", "n int, t text")).containsExactly("1|a", "2|b");
        assertThat(text("1\ta\n\\.\nwhatever\n", "n int, t text")).containsExactly("1|a");
        assertThat(text("\\.\n", "n int, t text")).isEmpty();
        assertThatThrownBy(() -> text("\\.", "n int, t text"))
                .hasMessage("end-of-copy marker is not alone on its line");
        assertThat(text("1\ta\\", "n int, t text")).containsExactly("1|a");
        assertThat(text("", "n int, t text")).isEmpty();
        assertThatThrownBy(() -> text("1\ta\\.\n", "n int, t text"))
                .hasMessage("end-of-copy marker is not alone on its line");
        assertThatThrownBy(() -> text("1\ta\n2\tb\r\n", "n int, t text"))
                .hasMessage("literal carriage return found in data");
        assertThatThrownBy(() -> text("1\ta\r\n2\tb\n", "n int, t text")).hasMessage("literal newline found in data");
        assertThatThrownBy(() -> text("1\n", "n int, t text")).hasMessage("missing data for column \"t\"");
    }

    private static void assertWrong(String csv, String message, String place) {
        assertThatThrownBy(() -> rows(csv, "n int not null, t text", PLAIN))
                .isInstanceOf(QueryException.class)
                .hasMessage(message)
                .satisfies(e -> assertThat(((QueryException) e).context()).isEqualTo(place));
    }

    /// Bytes of the row are wrong by themselves; those that escapes stand for are so where these stand.
    @Test
    void textMustBeUtf8() {
        assertMisencoded(new byte[] {'a', (byte) 0xC3, '\n'}, "0xc3 0x0a", "f, line 1");
        assertMisencoded(new byte[] {'a', (byte) 0xC3}, "0xc3", "f, line 1");
        assertMisencoded(new byte[] {'a', '\n', (byte) 0xE9, 'x', '\n', 'y', '\n'}, "0xe9 0x78 0x0a", "f, line 2");
        assertMisencoded("a\n\\xc3\n".getBytes(StandardCharsets.UTF_8), "0xc3", "f, line 2: \"\\xc3\"");
        assertMisencoded("a\\0\n".getBytes(StandardCharsets.UTF_8), "0x00", "f, line 1: \"a\\0\"");
    }

    private static void assertMisencoded(byte[] bytes, String shown, String place) {
        assertThatThrownBy(() -> {
                    try (CsvFile file = CsvFile.ofText(
                            "f",
                            new ByteArrayInputStream(bytes),
                            new CsvFormat((byte) 9, (byte) 34, (byte) 34, "\\N", false),
                            new Schema(ColumnList.parse("t text")),
                            CsvFile.Rules.usual())) {
                        file.next(9);
                    }
                })
                .hasMessage("invalid byte sequence for encoding \"UTF8\": " + shown)
                .satisfies(e -> assertThat(((QueryException) e).context()).isEqualTo(place));
    }

    @Test
    void aHeaderHasTheColumnsNames() throws IOException {
        assertThat(rows("n,t\n1,a\n", "n int, t text", CsvFormat.USUAL)).containsExactly("1|a");
        assertThatThrownBy(() -> rows("n,x\n1,a\n", "n int, t text", CsvFormat.USUAL))
                .hasMessageContaining("column name mismatch in header line field 2: got \"x\", expected \"t\"");
        assertThatThrownBy(() -> rows("n\n1,a\n", "n int, t text", CsvFormat.USUAL))
                .hasMessage("wrong number of fields in header line: got 1, expected 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n\nn,t\n\n1,a\n\n2,b\n\n", "\r\nn,t\r\n1,a\r\n2,b\r\n\r\n"})
    void emptyLinesAreNoRows(String csv) throws IOException {
        assertThat(rows(csv, "n int, t text", CsvFormat.USUAL)).containsExactly("1|a", "2|b");
    }

    @Test
    void emptyLinesAreNullsOfASingleColumn() throws IOException {
        assertThat(rows("1\n\n2\n", "n int", PLAIN)).containsExactly("1", "~", "2");
    }

    /// What PostgreSQL reads as a literal, and is not written as the first values were of which the type was found.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bigint|01234",
                "bigint|0x1F",
                "bigint|1_000",
                "bigint|-012",
                "double precision|01.5",
                "double precision|inf",
                "double precision|00",
                "boolean|yes",
                "boolean|1",
                "date|12/31/2023",
                "date|20240105T101112",
                "date|today",
                "date|2024-01-05 10:00",
                "timestamp|2024-01-05 10:00:00+05",
                "timestamp|2024-01-05 10:00:00.123456789",
                "timestamp|now",
                "timestamptz|2024-01-05 10:00:00",
                "uuid|a0eebc999c0b4ef8bb6d6bb9bd380a11",
            })
    void foundTypesHaveOneForm(String type, String value) throws IOException {
        Schema schema = new Schema(ColumnList.parse("c " + type));
        try (CsvFile file = new CsvFile("f", bytes(value + "\n"), PLAIN, schema)) {
            file.next(1).close();
        }
        CsvFile.Rules rules = CsvFile.Rules.ofFound(Set.of("c"));
        try (CsvFile file = new CsvFile("f", bytes(value + "\n"), PLAIN, schema, rules)) {
            assertThatThrownBy(() -> file.next(1)).hasMessageStartingWith("invalid input syntax for type ");
            assertThat(file.misfit()).isEqualTo(new CsvFile.Misfit("c", value, false));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "bigint| -12 |-12",
                "bigint|0|0",
                "double precision|1.0000000000000000123e+05|100000",
                "double precision|0.12345678901234567|0.12345678901234566",
                "double precision|-0|-0",
                "double precision|NaN|NaN",
                "date|2024/1/5|2024-01-05",
                "timestamptz|2024-01-05T10:00:00+0100|2024-01-05 09:00:00+00",
            })
    void foundTypesTakeWhatTheyWereFoundBy(String type, String value, String read) throws IOException {
        Schema schema = new Schema(ColumnList.parse("c " + type));
        CsvFile.Rules rules = CsvFile.Rules.ofFound(Set.of("c"));
        try (CsvFile file = new CsvFile("f", bytes(value + "\n"), PLAIN, schema, rules)) {
            assertThat(lines(file, 9)).containsExactly(read);
        }
    }

    @Test
    void theValueIsToldThatEndsTheRows() throws IOException {
        try (CsvFile file =
                new CsvFile("f.csv", bytes("1,2\n3,x\n"), PLAIN, new Schema(ColumnList.parse("a int, b int")))) {
            assertThatThrownBy(() -> file.next(9)).isInstanceOf(QueryException.class);
            assertThat(file.misfit()).isEqualTo(new CsvFile.Misfit("b", "x", false));
        }
        try (CsvFile file = new CsvFile("f.csv", bytes("1\n"), PLAIN, new Schema(ColumnList.parse("a int, b int")))) {
            assertThatThrownBy(() -> file.next(9)).hasMessage("missing data for column \"b\"");
            assertThat(file.misfit()).isNull();
        }
    }

    @Test
    void columnsAreListedAsInCreateTable() {
        assertThat(ColumnList.parse("Id BIGINT NOT NULL, \"A \"\"b\"\"\" numeric(10, 2), c text").stream()
                        .map(field -> field.name() + " " + field.pgType() + " " + field.nullable()))
                .containsExactly("id bigint false", "A \"b\" numeric(10,2) true", "c text true");
        assertThatThrownBy(() -> ColumnList.parse("a int, b")).isInstanceOf(QueryException.class);
        assertThatThrownBy(() -> ColumnList.parse("a nosuch")).isInstanceOf(QueryException.class);
    }
}
