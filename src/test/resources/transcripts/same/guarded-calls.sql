\set VERBOSITY verbose
\set SHOW_CONTEXT never
SELECT count(*) FROM (SELECT CASE WHEN oid < 100 THEN oid::regclass::text ELSE 'x' END s FROM pg_class) t WHERE s <> 'x';
SELECT CASE WHEN k = 1 THEN pg_size_pretty((10 / k)::bigint) WHEN pg_size_pretty(k::bigint) = '0 bytes' THEN 'none' ELSE pg_size_pretty((100/k)::bigint) END FROM (VALUES (0),(1),(2)) t(k);
SELECT coalesce(nullif(k,0)::text, pg_size_pretty((5/(k+1))::bigint)) FROM (VALUES (0),(1)) t(k);
SELECT k FROM (VALUES (0),(1),(2)) t(k) WHERE k > 0 AND pg_size_pretty((2/k)::bigint) = '2 bytes';
SELECT k FROM (VALUES (0),(1),(2)) t(k) WHERE k = 0 OR pg_size_pretty((2/k)::bigint) = '2 bytes' ORDER BY k;
SELECT CASE WHEN k > 0 THEN pg_size_pretty(0::bigint) END, CASE WHEN false THEN pg_sleep(10)::text END FROM (VALUES (0),(1)) t(k);
