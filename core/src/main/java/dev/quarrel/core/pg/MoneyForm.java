package dev.quarrel.core.pg;

import java.nio.ByteBuffer;

/// Amounts of money, held as `$1,234.56`.
///
/// - Source: PostgreSQL's `cash.c`.
record MoneyForm() implements ValueForm {
    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        return Money.text(Money.parse(text));
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        KeyBytes.word(Money.cents(text), out);
    }

    @Override
    public void send(String text, TextBuffer out) {
        KeyBytes.int64(Money.cents(text), out);
    }

    @Override
    public String receive(ByteBuffer bytes) {
        return Money.text(bytes.getLong());
    }
}
