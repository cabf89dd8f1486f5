package dev.quarrel.cli.imports.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/// Objects as they are written, which stand one after another in an array of bytes.
///
/// - Errors: `QueryException` with the line and column of what is wrong.
final class JsonBlock {
    private static final int MAX_TEXT = 1 << 28;
    private static final int FIRST_ROWS = 1 << 10;

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(MAX_TEXT)
                            .build())
                    .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
                    .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // Python writes NaN
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String name;
    private byte[] bytes;
    private int[] starts = new int[FIRST_ROWS];
    private int[] ends = new int[FIRST_ROWS];
    private long[] lines = new long[FIRST_ROWS];
    private int count;
    private QueryException fault;

    /// @param name of the file, for messages
    JsonBlock(String name) {
        this.name = name;
    }

    /// @param line that the object begins on
    void add(int start, int end, long line) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
            lines = Arrays.copyOf(lines, count * 2);
        }
        starts[count] = start;
        ends[count] = end;
        lines[count++] = line;
    }

    void complete(byte[] all) {
        bytes = all;
    }

    byte[] bytes() {
        return bytes;
    }

    /// What is wrong behind the objects.
    void fail(QueryException wrong) {
        fault = wrong;
    }

    /// Null where nothing is.
    QueryException fault() {
        return fault;
    }

    int count() {
        return count;
    }

    long line(int row) {
        return lines[row];
    }

    /// An object; of two members of one name it has the second.
    ///
    /// - Errors: 22P02 for what is no JSON, 54000 for texts of more than 256 MiB and for values within 1,000
    // others.
    JsonNode row(int row) {
        try {
            return MAPPER.readTree(bytes, starts[row], ends[row] - starts[row]);
        } catch (StreamConstraintsException large) {
            throw located(
                    new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, large.getOriginalMessage()),
                    row,
                    large.getLocation());
        } catch (JsonProcessingException broken) {
            throw located(
                    new QueryException(
                            SqlState.INVALID_TEXT_REPRESENTATION,
                            "invalid input syntax for type json: " + broken.getOriginalMessage()),
                    row,
                    broken.getLocation());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // bytes are there
        }
    }

    private QueryException located(QueryException wrong, int row, JsonLocation place) {
        return place == null
                ? located(wrong, row)
                : wrong.withContext(name + ", line " + (lines[row] + place.getLineNr() - 1) + ", column "
                        + place.getColumnNr() + (place.getLineNr() == 1 ? " of the row" : ""));
    }

    /// With where a row is.
    QueryException located(QueryException wrong, int row) {
        return wrong.withContext(name + ", line " + lines[row]);
    }
}
