package dev.quarrel.core.collate;

import com.ibm.icu.text.Collator;
import com.ibm.icu.text.RawCollationKey;
import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.util.ULocale;
import com.ibm.icu.util.VersionInfo;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Keys of texts whose bytes order as an ICU collation orders the texts.
///
/// A key is ICU's own, which ends with the only zero in it, and behind that the text. So texts that ICU takes for alike
/// are ordered by their bytes, as PostgreSQL does under a deterministic collation; no two texts have one key; and the
/// text can be read from its key.
///
/// - Threads: an instance belongs to one.
public final class SortKeys {
    private static final Map<String, RuleBasedCollator> COLLATORS = new ConcurrentHashMap<>();
    private static final int MAX_COLLATORS = 1000;

    private final RuleBasedCollator collator;
    private final RawCollationKey key = new RawCollationKey();

    private SortKeys(RuleBasedCollator collator) {
        this.collator = collator;
    }

    /// @param spec of an ICU collation, as [Collation#spec] has it
    ///
    /// - Errors: 22023 for rules that ICU does not understand.
    public static SortKeys of(String spec) {
        return new SortKeys(collator(spec).cloneAsThawed());
    }

    private static RuleBasedCollator collator(String spec) {
        RuleBasedCollator known = COLLATORS.get(spec);
        if (known != null) {
            return known;
        }
        int end = spec.indexOf('\n');
        String locale = spec.substring(2, end < 0 ? spec.length() : end);
        RuleBasedCollator made = made(locale, end < 0 ? "" : spec.substring(end + 1));
        made.freeze();
        if (COLLATORS.size() < MAX_COLLATORS) {
            COLLATORS.put(spec, made);
        }
        return made;
    }

    private static RuleBasedCollator made(String locale, String rules) {
        RuleBasedCollator ofLocale = (RuleBasedCollator) Collator.getInstance(IcuLocale.of(locale));
        if (rules.isEmpty()) {
            return ofLocale.cloneAsThawed();
        }
        try {
            return new RuleBasedCollator(ofLocale.getRules() + rules);
        } catch (Exception e) { // ICU declares no more
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "could not open collator for locale \"" + locale + "\" with rules \"" + rules + "\": "
                            + e.getMessage(),
                    e);
        }
    }

    /// Makes the key of a text; its bytes are in [#bytes], up to [#size], until the next call.
    public void make(String text) {
        collator.getRawCollationKey(text, key);
        byte[] own = text.getBytes(StandardCharsets.UTF_8);
        key.append(own, 0, own.length);
    }

    public byte[] bytes() {
        return key.bytes;
    }

    public int size() {
        return key.size;
    }

    /// Where the text begins in a key.
    public static int textStart(byte[] bytes, int start) {
        int at = start;
        while (bytes[at] != 0) {
            at++;
        }
        return at + 1;
    }

    /// The version of the order, as PostgreSQL records it: its own major number, and Unicode's and the locale's.
    public static String version(Collation collation) {
        VersionInfo version = collator(collation.spec()).getVersion();
        StringBuilder text =
                new StringBuilder().append(version.getMajor()).append('.').append(version.getMinor());
        if (version.getMilli() != 0 || version.getMicro() != 0) {
            text.append('.').append(version.getMilli());
        }
        if (version.getMicro() != 0) {
            text.append('.').append(version.getMicro());
        }
        return text.toString();
    }

    /// Whether PostgreSQL has a collation `LOCALE-x-icu` for that language tag: ICU knows the locale.
    public static boolean hasLocale(String tag) {
        if (tag.equals("und")) {
            return true;
        }
        ULocale locale = ULocale.forLanguageTag(tag);
        return IcuLocale.AVAILABLE.contains(locale) && locale.toLanguageTag().equals(tag);
    }
}
