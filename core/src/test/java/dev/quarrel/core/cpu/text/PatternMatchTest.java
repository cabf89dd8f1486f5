package dev.quarrel.core.cpu.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarrel.core.regex.Regex;
import dev.quarrel.core.regex.RegexOptions;
import dev.quarrel.core.type.QueryException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Regular expressions with the answers of PostgreSQL 15 (collation "C"): `t`, `f`, or the SQLSTATE.
class PatternMatchTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '§',
            quoteCharacter = '`',
            value = {
                "abc§^a§t",
                "abc§c$§t",
                "`a\nb`§^b§f",
                "`a\nb`§a.b§t",
                "`a\nb`§(?n)^b§t",
                "`a\nb`§(?n)a.b§f",
                "`a\nb`§(?w)a.b§t",
                "`a\nb`§(?p)a.b§f",
                "`a\nb`§(?n)a[^x]b§f",
                "a1§\\d§t",
                "é§\\w§f",
                "é§^.$§t",
                "😀§^.$§t",
                "日本§[^日]§t",
                "ü§[é-ü]§t",
                "a]b§[]]§t",
                "a{2§a\\{2§t",
                "a{2§a{§t",
                "aaa§^a{2}$§f",
                "aaa§a{2,}§t",
                "aaa§a{,3}§f",
                "aaa§a{1}{2}§2201B",
                "a§x{300}§2201B",
                "a§a**§2201B",
                "a§*a§2201B",
                "a§(a§2201B",
                "a§[a§2201B",
                "a§[z-a]§2201B",
                "a§a\\§2201B",
                "a§\\q§2201B",
                "a§[[:foo:]]§2201B",
                "a§(a)\\1§f",
                "a§(?=a)§t",
                "a§[[.a.]]§t",
                "foo bar§\\ybar§t",
                "foo bar§\\yar§f",
                "foo bar§\\Aar§f",
                "abc§c\\Z§t",
                "A§\\x41§t",
                "A§\\u0041§t",
                "ABC§(?i)abc§t",
                "a.c§(?q)a.c§t",
                "abc§(?q)a.c§f",
                "abc§***=a.c§f",
                "abc§***:a.c§t",
                "b§a|§t",
                "b§()§t",
                "-§[a-]§t",
                "`\t`§\\s§t",
                "AMERICA§[[:lower:]]§f",
                "AMERICA§^[[:upper:]]+$§t",
            })
    void regexAnswersAsPostgresDoes(String text, String pattern, String expected) {
        assertThat(regex(text, pattern, false)).as(pattern).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"ABC, b, t", "ABC, [a-b], t", "ABC, [^a-c], f", "K, k, t", "É, é, f", "abc, [[:upper:]], t"})
    void caseIsAsciiAlone(String text, String pattern, String expected) {
        assertThat(regex(text, pattern, true)).as(pattern).isEqualTo(expected);
    }

    private static String regex(String text, String pattern, boolean ignoreCase) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        String[] answer = new String[1];
        QueryException error = catchThrowableOfType(QueryException.class, () -> {
            Regex regex = Regex.of(
                    pattern.getBytes(StandardCharsets.UTF_8),
                    ignoreCase ? RegexOptions.IGNORE_CASE : RegexOptions.NONE);
            regex.open(bytes, 0, bytes.length);
            answer[0] = regex.isFound() ? "t" : "f";
        });
        return error == null ? answer[0] : error.state().code();
    }
}
