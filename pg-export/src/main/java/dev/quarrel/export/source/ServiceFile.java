package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Named sets of connection parameters: `~/.pg_service.conf`, or the file that `PGSERVICEFILE` names; then the
/// system's.
///
/// - Source: PostgreSQL documentation, "The Connection Service File".
final class ServiceFile {
    private static final String NAME = "pg_service.conf";
    private static final String USUAL_FOLDER = "/etc/postgresql-common";

    private ServiceFile() {}

    /// The parameters of a service.
    ///
    /// - Errors: `QueryException` 22023 where no file has it.
    static Map<String, String> find(String service, Map<String, String> environment, Path home) {
        String named = environment.get("PGSERVICEFILE");
        Path own = named != null && !named.isEmpty() ? Path.of(named) : home.resolve("." + NAME);
        if (named != null && !named.isEmpty() && !Files.exists(own)) {
            throw wrong("service file \"" + own + "\" not found");
        }
        Path system = Path.of(environment.getOrDefault("PGSYSCONFDIR", USUAL_FOLDER), NAME);
        for (Path file : List.of(own, system)) {
            if (Files.exists(file)) {
                Map<String, String> found = read(file, service);
                if (found != null) {
                    return found;
                }
            }
        }
        throw wrong("definition of service \"" + service + "\" not found");
    }

    /// @return null where the file does not have the service
    private static Map<String, String> read(Path file, String service) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw wrong("could not read service file \"" + file + "\": " + failure.getMessage());
        }
        Map<String, String> found = null;
        boolean isInside = false;
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("[")) {
                if (found != null) {
                    return found;
                }
                isInside = line.equals("[" + service + "]");
                if (isInside) {
                    found = new LinkedHashMap<>();
                }
            } else if (isInside) {
                int equals = line.indexOf('=');
                if (equals <= 0 || line.startsWith("ldap")) {
                    throw wrong("syntax error in service file \"" + file + "\", line " + number);
                }
                String keyword = line.substring(0, equals);
                if (keyword.equals("service")) {
                    throw wrong("nested service specifications are not supported in service file \"" + file
                            + "\", line " + number);
                }
                found.putIfAbsent(keyword, line.substring(equals + 1));
            }
        }
        return found;
    }

    private static QueryException wrong(String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, why);
    }
}
