package dev.quarrel.core.collate;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.util.ULocale;
import java.util.Locale;

/// Upper and lower case by a collation's rules, beyond ASCII's letters.
///
/// - Source: PostgreSQL's `unicode_case.c` for the builtin provider; glibc's `towupper` and `towlower` map each
///   character to one.
public sealed interface LetterCase {
    String upper(String text);

    String lower(String text);

    /// The first letter of each word in upper case (or title case), the others in lower case.
    String title(String text);

    /// What texts that differ in case alone have in common.
    String fold(String text);

    /// @param spec as `Collation.spec` has it
    static LetterCase of(String spec) {
        int end = spec.indexOf('\n');
        String locale = spec.substring(2, end < 0 ? spec.length() : end);
        return switch (spec.charAt(0)) {
            case 'i' -> new Icu(IcuLocale.of(locale));
            case 'b' -> locale.equals("PG_UNICODE_FAST") ? new Full() : new Simple(false, false);
            default -> new Simple(true, locale.startsWith("tr") || locale.startsWith("az"));
        };
    }

    /// ICU's, which know a language's own rules, and the context of a letter.
    record Icu(ULocale locale) implements LetterCase {
        @Override
        public String upper(String text) {
            return UCharacter.toUpperCase(locale, text);
        }

        @Override
        public String lower(String text) {
            return UCharacter.toLowerCase(locale, text);
        }

        @Override
        public String title(String text) {
            return UCharacter.toTitleCase(locale, text, null);
        }

        @Override
        public String fold(String text) {
            boolean isTurkic =
                    locale.getLanguage().equals("tr") || locale.getLanguage().equals("az");
            return UCharacter.foldCase(
                    text, isTurkic ? UCharacter.FOLD_CASE_EXCLUDE_SPECIAL_I : UCharacter.FOLD_CASE_DEFAULT);
        }
    }

    /// One character for each.
    ///
    /// @param isOfSystem whether as glibc does; otherwise words have no digits but ASCII's
    record Simple(boolean isOfSystem, boolean isTurkic) implements LetterCase {
        @Override
        public String upper(String text) {
            return text.codePoints()
                    .map(this::upper)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        }

        @Override
        public String lower(String text) {
            return text.codePoints()
                    .map(this::lower)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        }

        private int upper(int character) {
            return isTurkic && character == 'i' ? 'İ' : Character.toUpperCase(character);
        }

        private int lower(int character) {
            return isTurkic && character == 'I' ? 'ı' : Character.toLowerCase(character);
        }

        @Override
        public String title(String text) {
            StringBuilder result = new StringBuilder(text.length());
            boolean isInWord = false;
            for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
                int character = text.codePointAt(at);
                boolean isPart = isOfSystem
                        ? Character.isLetterOrDigit(character)
                        : Character.isAlphabetic(character) || character >= '0' && character <= '9';
                // PostgreSQL's own provider begins anew where words end, too.
                boolean isFirst = isOfSystem ? !isInWord : at == 0 || isPart != isInWord;
                result.appendCodePoint(isFirst ? upper(character) : lower(character));
                isInWord = isPart;
            }
            return result.toString();
        }

        @Override
        public String fold(String text) {
            return isOfSystem ? lower(text) : folded(text, false);
        }
    }

    /// Unicode's, of whatever language: one letter may become several.
    record Full() implements LetterCase {
        @Override
        public String upper(String text) {
            return text.toUpperCase(Locale.ROOT);
        }

        @Override
        public String lower(String text) {
            return text.toLowerCase(Locale.ROOT);
        }

        @Override
        public String title(String text) {
            StringBuilder result = new StringBuilder(text.length());
            boolean isInWord = false;
            for (int at = 0; at < text.length(); ) {
                int character = text.codePointAt(at);
                int end = at + Character.charCount(character);
                boolean isPart = Character.isAlphabetic(character) || Character.isDigit(character);
                if (at == 0 || isPart != isInWord) {
                    result.append(first(character));
                } else {
                    result.append(lowerAt(text, at, end));
                }
                isInWord = isPart;
                at = end;
            }
            return result.toString();
        }

        /// A letter in title case; a character that is none may have such a form, too.
        private static String first(int character) {
            int plain = Character.toTitleCase(character);
            if (plain != character) {
                return Character.toString(plain);
            }
            String title = UCharacter.toTitleCase(ULocale.ROOT, Character.toString(character), null);
            boolean isKnown =
                    Character.isDefined(character) && title.codePoints().allMatch(Character::isDefined);
            return isKnown ? title : Character.toString(character);
        }

        /// A letter by itself, but for the sigma, which is another at the end of a word.
        private static String lowerAt(String text, int start, int end) {
            if (text.charAt(start) != 'Σ') {
                return text.substring(start, end).toLowerCase(Locale.ROOT);
            }
            String before = text.substring(0, end).toLowerCase(Locale.ROOT);
            String whole = text.toLowerCase(Locale.ROOT);
            // Letters before it may have become several, and so may those behind it; it itself is one.
            return whole.substring(before.length() - 1, before.length());
        }

        @Override
        public String fold(String text) {
            return folded(text, true);
        }
    }

    /// ICU may know more characters than PostgreSQL's tables, which are of the same version of Unicode as Java's.
    private static String folded(String text, boolean mayGrow) {
        StringBuilder result = new StringBuilder(text.length());
        text.codePoints().forEach(character -> {
            String own = Character.toString(character);
            String folded =
                    mayGrow ? UCharacter.foldCase(own, true) : Character.toString(UCharacter.foldCase(character, true));
            boolean isKnown =
                    Character.isDefined(character) && folded.codePoints().allMatch(Character::isDefined);
            result.append(isKnown ? folded : own);
        });
        return result.toString();
    }
}
