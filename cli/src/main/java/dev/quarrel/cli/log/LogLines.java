package dev.quarrel.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.event.KeyValuePair;

/// Writes each event of the log as one line: for people, or as a JSON object. What clients send cannot begin a line of
/// its own; only an exception's stack takes more, and that in text alone.
public final class LogLines extends EncoderBase<ILoggingEvent> {
    private static final DateTimeFormatter LOCAL_TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT)
            .withZone(ZoneId.systemDefault());
    private static final DateTimeFormatter UTC_TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.:/+-]+");
    private static final Pattern EVENT = Pattern.compile("([a-z_]+(\\.[a-z_]+)+)( .*)?", Pattern.DOTALL);

    private volatile boolean isJson;

    /// From the next event on.
    public void setJson(boolean json) {
        isJson = json;
    }

    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        return (isJson ? json(event) : text(event)).getBytes(StandardCharsets.UTF_8);
    }

    private static List<KeyValuePair> pairs(ILoggingEvent event) {
        return event.getKeyValuePairs() == null ? List.of() : event.getKeyValuePairs();
    }

    private static String text(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(128);
        line.append(LOCAL_TIME.format(event.getInstant())).append(' ');
        String level = event.getLevel().toString();
        line.append(level).repeat(' ', Math.max(1, 6 - level.length()));
        appendEscaped(event.getFormattedMessage(), line, false);
        for (KeyValuePair pair : pairs(event)) {
            line.append(' ').append(pair.key).append('=');
            String value = String.valueOf(pair.value);
            if (PLAIN.matcher(value).matches()) {
                line.append(value);
            } else {
                line.append('"');
                appendEscaped(value, line, true);
                line.append('"');
            }
        }
        line.append('\n');
        if (event.getThrowableProxy() != null) {
            line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return line.toString();
    }

    private static String json(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(256).append('{');
        append("time", UTC_TIME.format(event.getInstant()), line);
        append("level", event.getLevel().toString(), line);
        append("logger", event.getLoggerName(), line);
        String message = event.getFormattedMessage();
        Matcher named = EVENT.matcher(message);
        if (named.matches()) {
            append("event", named.group(1), line);
        }
        append("message", message, line);
        pairs(event).forEach(pair -> append(pair.key, pair.value, line));
        if (event.getThrowableProxy() != null) {
            append("exception", ThrowableProxyUtil.asString(event.getThrowableProxy()), line);
        }
        return line.append("}\n").toString();
    }

    private static void append(String key, Object value, StringBuilder line) {
        if (line.length() > 1) {
            line.append(',');
        }
        line.append('"').append(key).append("\":");
        if (value instanceof Number || value instanceof Boolean) {
            line.append(value);
        } else {
            line.append('"');
            appendEscaped(String.valueOf(value), line, true);
            line.append('"');
        }
    }

    /// As in JSON's strings: no control character stays.
    private static void appendEscaped(String text, StringBuilder line, boolean isQuoted) {
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            switch (character) {
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                case '"', '\\' -> line.append(isQuoted ? "\\" : "").append(character);
                default -> {
                    // Also what ends a line elsewhere, and halves of characters.
                    if (Character.isISOControl(character)
                            || character == '\u2028'
                            || character == '\u2029'
                            || isAlone(text, index)) {
                        line.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
                    } else {
                        line.append(character);
                    }
                }
            }
        }
    }

    private static boolean isAlone(String text, int index) {
        char character = text.charAt(index);
        if (Character.isHighSurrogate(character)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        return Character.isLowSurrogate(character)
                && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
    }
}
