\set VERBOSITY verbose
\set SHOW_CONTEXT never
SELECT '1 2 3'::int2vector, ''::oidvector, '4 5'::oidvector::text;
SELECT ('1 2 3'::int2vector)[0], ('1 2 3'::int2vector)[3], array_lower('7 8'::int2vector,1), array_upper('7 8'::int2vector, 1), array_length('7 8'::int2vector,1);
SELECT unnest('7 8'::int2vector);
SELECT 7 = ANY('7 8'::int2vector), 9 = ANY('7 8'::oidvector), '1 2'::int2vector = '1 2'::int2vector;
SELECT '1 2'::int2vector::int2[], '1 2'::int2vector::int4[], array_to_string('1 2'::int2vector, ',');
SELECT pg_typeof('1 2'::int2vector), '1 x'::int2vector;
SELECT proargtypes[0], proargtypes, proargtypes::text, array_to_string(proargtypes, '/'), generate_subscripts(proargtypes,1) FROM pg_proc WHERE proname='substr' AND pronargs=3 ORDER BY 1,5;
SELECT 'pg_catalog'::regnamespace, 'pg_catalog'::regnamespace::oid, 11::regnamespace, 'nope'::regnamespace;
SELECT to_regnamespace('nope') IS NULL, 0::regrole, 'sin(double precision)'::regprocedure, 'sin(float8)'::regprocedure::oid, to_regprocedure('sin(text)');
SELECT '"C"'::regcollation, 'now'::regproc, 'substr(text,int,int)'::regprocedure;
SELECT 'sin(text)'::regprocedure;
SELECT nspname FROM pg_namespace WHERE oid = 'pg_catalog'::regnamespace;
SELECT oid::regprocedure FROM pg_proc WHERE proname = 'substr' ORDER BY oid;
