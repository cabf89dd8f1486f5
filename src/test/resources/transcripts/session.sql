SELECT 1 AS one, NULL AS nothing, 'text' AS letters, 1.50 AS number;
SELECT b, n, t FROM types WHERE id < 6 ORDER BY id;
\x on
SELECT id, d, ts FROM types WHERE id = 4;
\x off
SELECT nosuch FROM types;
SELECT 1 /;
SELECT 1 / 0;
SELECT * FROM missing;
INSERT INTO types (id) VALUES (1);
BEGIN;
SELECT count(*) FROM orders;
SELECT broken;
SELECT 1;
ROLLBACK;
COMMIT;
SET application_name = 'transcript';
SHOW application_name;
SELECT 1; SELECT 2 AS two;
\echo :SERVER_VERSION_NAME
SELECT city, sum(amount) FROM orders JOIN customers ON customer_id = customers.id GROUP BY city ORDER BY 2 DESC NULLS LAST LIMIT 3;
\gdesc
SELECT id, amount FROM orders WHERE id < 3 ORDER BY id \gdesc
PREPARE x AS SELECT 1;
COPY orders TO '/tmp/never-written';
COPY orders TO PROGRAM 'cat';
COPY orders FROM '/etc/passwd';
COPY (SELECT id FROM orders WHERE id < 3) TO STDOUT (FORMAT arrow, COMPRESSION brotli);
PREPARE w AS INSERT INTO orders VALUES (1);
