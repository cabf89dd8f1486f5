package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.parse.generated.GeneratedParser;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.GeneratedParserTokenManager;
import dev.quarrel.calcite.parse.generated.ParseException;
import dev.quarrel.calcite.parse.generated.SimpleCharStream;
import dev.quarrel.calcite.parse.generated.Token;
import dev.quarrel.core.type.QueryException;
import java.io.Reader;
import java.util.List;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlDelegatingConformance;

/// Runs the generated parser over one query's lexemes.
final class QueryParser {
    private static final SqlConformance CONFORMANCE = new SqlDelegatingConformance(SqlConformanceEnum.BABEL) {
        @Override
        public boolean allowExplicitRowValueConstructor() {
            return true;
        }
    };

    private QueryParser() {}

    /// - Errors: 42601 with PostgreSQL's message and position in `text`.
    ///
    /// @param end the semicolon or END that follows the query
    static Statement.Query parse(String text, List<Lexeme> lexemes, Lexeme end) {
        ParseBounds.require(lexemes);
        Tokens.Result tokens = Tokens.of(text, lexemes, end);
        TokenSource source = new TokenSource(tokens.tokens());
        GeneratedParser parser = new GeneratedParser(source);
        parser.setIdentifierMaxLength(Integer.MAX_VALUE);
        parser.setQuotedCasing(Casing.UNCHANGED);
        parser.setUnquotedCasing(Casing.UNCHANGED);
        parser.setConformance(CONFORMANCE);
        int start = lexemes.get(0).start();
        int to = lexemes.get(lexemes.size() - 1).end();
        try (PlanningLimits.Watch cancelled = PlanningLimits.onCancel(source::end)) {
            SqlNode node = parser.SqlQueryEof();
            cancelled.check();
            return new Statement.Query(text, start, to, node, tokens.parameterCount());
        } catch (ParseException e) {
            PlanningLimits.check();
            throw at(text, lexemes, end, source.furthest().beginColumn - 1);
        } catch (CalciteContextException e) {
            PlanningLimits.check();
            throw at(text, lexemes, end, e.getPosColumn() - 1);
        } catch (RuntimeException e) {
            PlanningLimits.check(); // whatever the parser makes of a text that ends too early
            throw e;
        } catch (StackOverflowError e) {
            throw PlanningLimits.tooDeep();
        }
    }

    private static QueryException at(String text, List<Lexeme> lexemes, Lexeme end, int index) {
        for (Lexeme lexeme : lexemes) {
            if (lexeme.end() > index) {
                return LexemeReader.syntaxError(text, lexeme);
            }
        }
        return LexemeReader.syntaxError(text, end);
    }

    /// Supplies tokens that were made beforehand, in place of the generated scanner.
    private static final class TokenSource extends GeneratedParserTokenManager {
        private final List<Token> tokens;
        private int at;
        private int given;

        TokenSource(List<Token> tokens) {
            super(new SimpleCharStream(Reader.nullReader()));
            this.tokens = tokens;
        }

        /// The last token that the parser asked for. Where it fails, no alternative it tried got further, so
        /// PostgreSQL's parser, which tries all at once, fails there too; what the generated parser itself
        /// blames is often earlier.
        Token furthest() {
            return tokens.get(Math.max(given - 1, 0));
        }

        /// Makes every token the end of the text, so that the parser, which asks nobody, stops soon. Any thread.
        void end() {
            tokens.forEach(token -> token.kind = GeneratedParserConstants.EOF);
        }

        @Override
        public Token getNextToken() {
            given = Math.min(given + 1, tokens.size());
            Token token = tokens.get(at);
            if (at < tokens.size() - 1) {
                at++;
            }
            return token;
        }
    }
}
