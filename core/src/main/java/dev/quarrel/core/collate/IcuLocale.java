package dev.quarrel.core.collate;

import com.ibm.icu.util.ULocale;
import java.util.Set;

/// Locales by the names that PostgreSQL gives to ICU.
final class IcuLocale {
    static final Set<ULocale> AVAILABLE = Set.of(ULocale.getAvailableLocales());

    private IcuLocale() {}

    /// @param name a language tag (`de-u-co-phonebk`), or an identifier of ICU's (`de@collation=phonebook`)
    static ULocale of(String name) {
        boolean isIdentifier = name.indexOf('@') >= 0 || name.indexOf('_') >= 0;
        return isIdentifier ? new ULocale(name) : ULocale.forLanguageTag(name);
    }
}
