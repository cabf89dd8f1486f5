-- What Superset's PostgreSQL engine asks: names, time grains, filters, cancelling.
SELECT datname FROM pg_database WHERE datistemplate = false AND datname = current_database() || 'x';
SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\_%%' AND nspname = 'information_schema' ORDER BY nspname;
SELECT count(*) FROM pg_stat_activity WHERE pid = pg_backend_pid();
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = '0';
WITH t AS (SELECT timestamp '2024-02-28 23:58:01.25' + g * interval '37 seconds' AS ts, g AS n FROM generate_series(0, 400) g)
SELECT DATE_TRUNC('second', ts) AS s1,
       DATE_TRUNC('minute', ts) + INTERVAL '5 seconds' * FLOOR(EXTRACT(SECOND FROM ts) / 5) AS s5,
       DATE_TRUNC('minute', ts) + INTERVAL '30 seconds' * FLOOR(EXTRACT(SECOND FROM ts) / 30) AS s30,
       DATE_TRUNC('hour', ts) + INTERVAL '10 minutes' * FLOOR(EXTRACT(MINUTE FROM ts) / 10) AS m10,
       DATE_TRUNC('week', ts) AS w, DATE_TRUNC('quarter', ts) AS q
FROM t ORDER BY n LIMIT 5;
WITH t AS (SELECT timestamp '2024-02-28 23:58:01.25' + g * interval '37 minutes' AS ts, g AS n, 'k' || g % 3 AS k FROM generate_series(0, 400) g)
SELECT DATE_TRUNC('day', ts) AS "ts", k AS "k", COUNT(*) AS "count", SUM(n) AS "SUM(n)"
FROM (SELECT * FROM t) AS virtual_table
WHERE ts >= TO_TIMESTAMP('2024-03-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
  AND ts < TO_TIMESTAMP('2024-03-05 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
GROUP BY DATE_TRUNC('day', ts), k ORDER BY "count" DESC, 1, 2 LIMIT 1000;
SELECT (timestamp 'epoch' + 1700000000 * interval '1 second') AS t, (timestamp 'epoch' + 1700000000123 / 1000 * interval '1 second') AS ms;
SELECT k, "count" FROM (SELECT g % 3 AS k, count(*) AS "count" FROM generate_series(1, 10) g GROUP BY 1) AS t JOIN
 (SELECT g % 3 AS k__, count(*) AS mme_inner__ FROM generate_series(1, 10) g GROUP BY 1 ORDER BY mme_inner__ DESC LIMIT 2) AS anon_1 ON k = k__ ORDER BY 1;
SET search_path = "public";
SHOW search_path;
SELECT COUNT(DISTINCT CASE WHEN g > 3 THEN g END) AS "d", PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY g) AS "median" FROM generate_series(1, 9) g HAVING COUNT(*) > 1;
