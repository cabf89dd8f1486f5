package dev.quarrel.core.type;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/// A collation: how the values of a text column are ordered, and which letters are each other's upper and lower case.
///
/// @param name as `pg_collation` has it; `default` for the one that a database has unless something else is said
/// @param locale in the provider's own words: `de-DE` for ICU, `en_US.UTF-8` for libc, `PG_UNICODE_FAST`; see
/// [#ofSystem] for one of the operating system that has two
/// @param rules further rules of an ICU collation, or null
/// @param isDeterministic whether only texts of the same bytes are equal
/// @param version what the database recorded of the library that ordered its texts, or null
public record Collation(
        String name, Provider provider, String locale, String rules, boolean isDeterministic, String version) {
    public static final String DEFAULT_NAME = "default";
    private static final char SEPARATOR = ';';

    /// The order of bytes, and ASCII's letters.
    public static final Collation C = new Collation("C", Provider.LIBC, "C", null, true, null);

    /// The default of a dataset that says nothing.
    public static final Collation DEFAULT = C.named(DEFAULT_NAME);

    private static final List<Collation> ALIKE_EVERYWHERE = List.of(
            DEFAULT,
            C,
            C.withLocale("POSIX").named("POSIX"),
            new Collation("ucs_basic", Provider.BUILTIN, "C", null, true, "1"),
            new Collation("pg_c_utf8", Provider.BUILTIN, "C.UTF-8", null, true, "1"),
            new Collation("pg_unicode_fast", Provider.BUILTIN, "PG_UNICODE_FAST", null, true, "1"),
            new Collation("unicode", Provider.ICU, "und", null, true, null));

    /// glibc orders the texts of these by their characters, and so by their bytes.
    private static final Set<String> BYTEWISE_LOCALES = Set.of("c", "posix", "c.utf-8", "c.utf8");

    /// Whose library orders the texts.
    public enum Provider {
        LIBC('c'),
        ICU('i'),
        BUILTIN('b');

        private final char code;

        Provider(char code) {
            this.code = code;
        }

        /// As `pg_collation.collprovider` has it.
        public char code() {
            return code;
        }

        /// The provider of that letter, or null.
        public static Provider of(String code) {
            for (Provider provider : values()) {
                if (String.valueOf(provider.code).equals(code)) {
                    return provider;
                }
            }
            return null;
        }
    }

    public Collation {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(locale, "locale");
    }

    /// The collations that every PostgreSQL has, whatever its operating system and its build.
    ///
    /// @return null for another name
    public static Collation ofEvery(String name) {
        return ALIKE_EVERYWHERE.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElse(null);
    }

    /// The collation that a column has in a dataset: its [#isDefault] means the dataset's default, since that of the
    /// database that the column's file is from need not be the same.
    ///
    /// @param said by the column's file; null for nothing
    /// @param standard the dataset's default
    public static Collation ofColumn(Collation said, Collation standard) {
        Collation own = said == null ? DEFAULT : said;
        if (!own.isDefault()) {
            return own;
        }
        if (own.isSameOrder(standard)) {
            return standard;
        }
        return own.isSameOrder(C) ? C : own.named("default of " + own.locale());
    }

    public Collation named(String newName) {
        return new Collation(newName, provider, locale, rules, isDeterministic, version);
    }

    private Collation withLocale(String newLocale) {
        return new Collation(name, provider, newLocale, rules, isDeterministic, version);
    }

    public boolean isDefault() {
        return name.equals(DEFAULT_NAME);
    }

    /// Whether it orders and maps texts as the other does, by whatever name.
    public boolean isSameOrder(Collation other) {
        return provider == other.provider
                && locale.equals(other.locale)
                && Objects.equals(rules, other.rules)
                && isDeterministic == other.isDeterministic;
    }

    /// Whether Quarrel orders its texts by their bytes, as it does unless ICU orders them.
    public boolean isByBytes() {
        return provider != Provider.ICU;
    }

    /// The locale of an operating system's collation, which has one for the order and one for characters.
    public static String ofSystem(String order, String characters) {
        return order.equals(characters) ? order : order + SEPARATOR + characters;
    }

    /// The locale that orders texts (`LC_COLLATE`).
    public String orderLocale() {
        int separator = locale.indexOf(SEPARATOR);
        return provider == Provider.LIBC && separator >= 0 ? locale.substring(0, separator) : locale;
    }

    /// The locale that knows characters (`LC_CTYPE`).
    public String characterLocale() {
        return provider == Provider.LIBC ? locale.substring(locale.indexOf(SEPARATOR) + 1) : locale;
    }

    /// Whether PostgreSQL orders its texts otherwise than Quarrel: by the rules of the operating system.
    public boolean isOrderUnknown() {
        return provider == Provider.LIBC
                && !BYTEWISE_LOCALES.contains(orderLocale().toLowerCase(Locale.ROOT));
    }

    /// Whether only ASCII's letters have another case.
    public boolean isCaseOfAscii() {
        return switch (provider) {
            case LIBC -> characterLocale().equals("C") || characterLocale().equals("POSIX");
            case BUILTIN -> locale.equals("C");
            case ICU -> false;
        };
    }

    /// What decides order and case, as one text: `i:de-DE`, with further rules behind a newline.
    public String spec() {
        return provider.code() + ":" + characterLocale() + (rules == null ? "" : "\n" + rules);
    }

    @Override
    public String toString() {
        return name + " (" + spec() + ")";
    }
}
