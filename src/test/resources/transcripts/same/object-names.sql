\set VERBOSITY verbose
\set SHOW_CONTEXT never
select '{int4,text}'::regtype[], '{pg_class}'::regclass[], array['pg_type'::regclass, 'pg_class'];
select 'pg_class'::regclass = any ('{pg_class,pg_type}'::regclass[]), 1259 = any('{pg_class}'::regclass[]);
select relname from pg_class where oid = any ('{pg_class,pg_type}'::regclass[]) order by 1;
select '{pg_class}'::regclass[]::text, '{1259}'::oid[]::regclass[], array_length('{int4,int8}'::regtype[], 1), ('{int4,int8}'::regtype[])[2], '{nope}'::regtype[];
select current_schemas(true), current_schemas(false), pg_typeof(current_schemas(true)), 'public' = any (current_schemas(false)), array_to_string(current_schemas(true), ',');
select unnest('{int4,text}'::regtype[]);
select proname, proargtypes::regtype[], coalesce(proallargtypes::regtype[], proargtypes::regtype[])::text[] from pg_proc where proname = 'substr' order by oid;
select 'nope'::text::regclass;
select t::regtype, t::regtype::oid from (values ('int4'), ('text[]'), ('23')) v(t);
select t::regnamespace from (values ('nope')) v(t);
select t::regproc from (values ('now')) v(t);
select t::regclass::oid from (values ('pg_class'), ('pg_catalog.pg_type')) v(t);
select t::regrole from (values ('-')) v(t);
