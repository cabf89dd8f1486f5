package dev.quarrel.core.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvColumnsTest {
    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static CsvColumns.Found found(boolean findsHeader, CsvFormat format, String... files) throws IOException {
        CsvColumns columns = new CsvColumns(format, findsHeader);
        for (int file = 0; file < files.length; file++) {
            columns.add((file + 1) + ".csv", bytes(files[file]), 100);
        }
        return columns.found();
    }

    private static CsvColumns.Found found(String... files) throws IOException {
        return found(true, CsvFormat.USUAL, files);
    }

    private static String said(List<Field> fields) {
        return fields.stream().map(field -> field.name() + " " + field.pgType()).collect(Collectors.joining(", "));
    }

    @Test
    void typesAreFound() throws IOException {
        assertThat(said(found("i,f,b,d,ts,tz,u,zip,mixed,none,bad\n"
                                + "1,1.5,t,2024-01-01,2024-01-01 10:00,2024-01-01T10:00:00Z,"
                                + "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,01234,1,,2024-02-30\n"
                                + ",2,false,2024-01-02,2024-01-02,2024-01-01 10:00:00+02,"
                                + "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,12345,x,,2024-02-28\n")
                        .fields()))
                .isEqualTo("i bigint, f double precision, b boolean, d date, ts timestamp without time zone,"
                        + " tz timestamp with time zone, u uuid, zip text, mixed text, none text, bad text");
    }

    /// Of one column, by its values.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                " 29.150; .5 |double precision",
                " 1;2 |bigint",
                "12.;1e3|double precision",
                " ;1|text",
                ".;1|text",
                "2010/01/02;2010/1/3|date",
                "2010/01/02 00:00;2010/01/02 9:30|timestamp without time zone",
                "2010/01-02|text",
                "2010/02/30|text",
                "01/02/2010|text",
                "9223372036854775807;9223372036854775808|double precision",
            })
    void typesAreOfAllWaysThatSayOneThing(String values, String type) throws IOException {
        String csv = "c,d\n" + values.replace(";", ",\n") + ",\n";
        assertThat(found(csv).fields().getFirst().pgType()).isEqualTo(type);
    }

    /// Several files: a column is what all of its values are, wherever it stands.
    @Test
    void typesOfSeveralFilesAreFound() throws IOException {
        CsvColumns.Found found = found("a,b\n1,\n", "c,a,b\nx,1.5,7\n", "");
        assertThat(found.names()).containsExactly(List.of("a", "b"), List.of("c", "a", "b"), List.of());
        assertThat(said(found.fields())).isEqualTo("a double precision, b bigint, c text");
        assertThat(found(false, CsvFormat.USUAL.withHeader(false), "1,x\n", "2\n")
                        .names())
                .containsExactly(List.of("column1", "column2"), List.of("column1"));
        assertThat(said(found("a,b\n1,2\n", "a,b\nx,2024-01-01\n").fields())).isEqualTo("a text, b text");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                ",id,A/1,2,3;column1 id A", // of pandas
                "\"\",\"x\"/\"1\",2;column1 x", // of R
                "a,a,a_1,a/1,2,3,4;a a_2 a_1 a_3",
                "a,b,/1,2,;a b column3",
                "column2,/1,2;column2 column2_1",
                "x,y/r1,1,2/r2,3,4;column1 x y", // names of rows, as R has them
                "x,y/1,2,/3,4,;x y column3", // rows end with a delimiter
            })
    void columnsHaveNamesOfTheirOwn(String csv, String names) throws IOException {
        assertThat(String.join(" ", found(csv.replace('/', '\n')).names().getFirst()))
                .isEqualTo(names);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "a,b/1,2;true",
                "1,2/3,4;false",
                "1,2.5/2,3;false",
                "1,x/2,y;false",
                "a,x/b,y;true", // nothing but texts
                "year,2001/a,1;false",
                "land,2001,2002,2003/a,1,2,3;true",
                "0,1,2,3/1,2,3,5;true",
                "1,2,3/4,5,6;false",
                "10,20,30/4,5,6;false",
                "1940,1945,1950/1.5,2.5,3.5;true",
                "2001,2002/1,2;false",
                "3,2,1/1,2,3;false",
                "1,1,1/1,2,3;false",
                "\"2001\",\"2002\"/1,2;true", // in quotes what is not
                ",0,1/0,1.5,2.5/1,3.5,4.5;true", // the numbers of pandas' columns
                ",1/2,3/,4;false",
                "2024-01-01,t/2024-01-02,f;false",
                "a,b;true",
                "1,2;false", // nothing but this
                "1,b;true",
                "/1,2/3,4;false",
            })
    void aHeaderIsNoRowOfValues(String csv, boolean hasHeader) throws IOException {
        assertThat(found(csv.replace('/', '\n')).hasHeader()).isEqualTo(hasHeader);
    }

    @Test
    void oneHeaderIsOneOfAllFiles() throws IOException {
        assertThat(found("a,b\n1,2\n", "", "c,b\n3,4\n").hasHeader()).isTrue();
        assertThatThrownBy(() -> found("a,b\n1,2\n", "1,2\n3,4\n"))
                .hasMessage("the first row of file \"1.csv\" has names of columns, and that of file \"2.csv\" values");
        assertThat(found("1,2\n3,4\n", "5,6\n7,8\n").hasHeader()).isFalse();
        assertThat(found(false, CsvFormat.USUAL, "1,2\n3,4\n").names()).containsExactly(List.of("1", "2"));
    }

    @Test
    void aHeaderOfTooFewNamesIsWrong() {
        assertThatThrownBy(() -> found("\n569,good\n1,2,3\n1,2\n"))
                .isInstanceOf(QueryException.class)
                .hasMessage("wrong number of fields in header line: got 2, expected 3")
                .satisfies(e -> assertThat(((QueryException) e).context()).isEqualTo("1.csv, line 2"));
    }

    @Test
    void valuesThatAloneMakeTextsAreTold() throws IOException {
        assertThat(found("a,b,c,d,e\n1,NA,2024-01-01,x,\"-\"\nNA,2,NA,NA,1\n3,NA,2024-01-02,y,2\n")
                        .odd())
                .isEqualTo(Map.of("NA", List.of("a", "b", "c")));
        assertThat(found("a\nNA\nNA\n").odd()).isEmpty();
        assertThat(found("a\n1\nNA\n-\n").odd()).isEmpty();
        assertThat(found("a\n1\nNA\n", "a\n2\n").odd()).isEqualTo(Map.of("NA", List.of("a")));
        assertThat(found("a\n1\nNA\n", "a\n-\n").odd()).isEmpty();
    }

    @Test
    void columnsBecomeWider() {
        Field number = new Field("n", DataType.INT64, true, "bigint");
        assertThat(CsvColumns.wider(number, "1.5").pgType()).isEqualTo("double precision");
        assertThat(CsvColumns.wider(number, "x").pgType()).isEqualTo("text");
        assertThat(CsvColumns.wider(CsvColumns.wider(number, "x"), "y")).isNull();
    }

    @Test
    void namesAreTexts() {
        CsvColumns columns = new CsvColumns(CsvFormat.USUAL, true);
        byte[] latin = "Gr\u00f6\u00dfe,b\n1,2\n".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> columns.add("l.csv", new ByteArrayInputStream(latin), 10))
                .hasMessageStartingWith("invalid byte sequence for encoding \"UTF8\"")
                .satisfies(e -> assertThat(((QueryException) e).context()).isEqualTo("l.csv, line 1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '~',
            value = {
                "a,b/1,2!,",
                "a;b/1,5;2!;",
                "a\\tb/1\\t2!\\t",
                "a|b/1|2!|",
                "a/1;5/2!-",
                "a;b/\"x,y;z\";2!;",
                "a,b;c/1,2;3!,",
                "a|b//1|2/!|",
                "!-",
                "a\\tb/x\\t1\\t2/y\\t3\\t4!\\t", // names of rows, as R has them
                "1\\tSmith, J/2\\tDoe, A!,",
            })
    void delimitersAreFound(String csv, String delimiter) throws IOException {
        assertThat(delimiter(csv, 0, false))
                .isEqualTo(delimiter.replace("\\t", "\t").replace('-', '\0'));
    }

    @Test
    void delimitersAreOfAsManyColumnsAsAreSaidAndOfTheNamesKind() throws IOException {
        assertThat(delimiter("1\tSmith, J/2\tDoe, A", 0, true)).isEqualTo("\t");
        assertThat(delimiter("a;b/c;d", 1, false)).isEqualTo("\0");
        assertThat(delimiter("a,b;c,d/1,2;3,4", 2, false)).isEqualTo(";");
    }

    private static String delimiter(String csv, int columns, boolean isOfTabs) throws IOException {
        String text = csv == null ? "" : csv.replace('/', '\n').replace("\\t", "\t");
        return String.valueOf((char) DelimiterGuess.of(bytes(text), CsvFormat.USUAL, columns, isOfTabs));
    }
}
