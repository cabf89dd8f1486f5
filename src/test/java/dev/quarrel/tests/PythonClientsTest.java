package dev.quarrel.tests;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Clients from PyPI: psycopg, psycopg2, asyncpg, ADBC, DuckDB, polars, pandas and SQLAlchemy, beside PostgreSQL where
/// they can ask both. The script names each check that fails.
@Tag("nightly")
class PythonClientsTest {
    private static final List<String> PACKAGES = List.of(
            "psycopg[binary]",
            "psycopg2-binary",
            "asyncpg",
            "adbc-driver-manager",
            "adbc-driver-postgresql",
            "pyarrow",
            "polars",
            "pandas",
            "sqlalchemy",
            "pytz",
            "duckdb==1.5.5",
            "duckdb-extension-postgres-scanner==1.5.5");

    @Test
    void theyWork() throws Exception {
        String python = PythonVenv.python("clients", PACKAGES, true).toString();
        System.out.println(PythonVenv.run(
                python,
                "resources/clients/clients.py",
                Integer.toString(PostgresOracle.shared().port()),
                Integer.toString(QuarrelServer.shared(Configuration.ALL.get(1)).port())));
    }
}
