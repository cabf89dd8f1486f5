package dev.quarrel.server.wire;

/// The kind of object that Describe and Close refer to.
public enum Target {
    STATEMENT('S'),
    PORTAL('P');

    private final char code;

    Target(char code) {
        this.code = code;
    }

    public char code() {
        return code;
    }

    static Target of(byte code) {
        return switch (code) {
            case 'S' -> STATEMENT;
            case 'P' -> PORTAL;
            default -> throw new ProtocolException("invalid DESCRIBE or CLOSE message subtype " + code);
        };
    }
}
