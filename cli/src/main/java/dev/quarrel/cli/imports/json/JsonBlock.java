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
import dev.quarrel.core.csv.RowBlock;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Objects as they are written, which stand one after another in an array of bytes.
///
/// - Errors: `QueryException` with the line and column of what is wrong.
final class JsonBlock {
    private static final int MAX_TEXT = 1 << 28;

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
    private final RowBlock rows;

    /// @param name of the file, for messages
    /// @param rows which have the lines that they begin on
    JsonBlock(String name, RowBlock rows) {
        this.name = name;
        this.rows = rows;
    }

    RowBlock rows() {
        return rows;
    }

    /// An object; of two members of one name it has the second.
    ///
    /// - Errors: 22P02 for what is no JSON, 54000 for texts of more than 256 MiB and for values within
    /// 1,000 others.
    JsonNode row(int row) {
        try {
            return MAPPER.readTree(rows.bytes(), rows.start(row), rows.end(row) - rows.start(row));
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
                : wrong.withContext(name + ", line " + (rows.line(row) + place.getLineNr() - 1) + ", column "
                        + place.getColumnNr() + (place.getLineNr() == 1 ? " of the row" : ""));
    }

    /// With where a row is.
    QueryException located(QueryException wrong, int row) {
        return wrong.withContext(name + ", line " + rows.line(row));
    }
}
