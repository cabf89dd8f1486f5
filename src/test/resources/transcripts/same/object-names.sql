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
-- names of types in quotes, and of a schema, are the catalog's
select x, x::regtype, to_regtype(x) from (values ('"pg_catalog"."int4"'), ('pg_catalog."int4"'), ('"int4"'), ('int4 []'), ('"int4"[]'), ('"pg_catalog"."int4"[]'), ('"pg_catalog"."varchar"'), ('"char"'), ('"pg_catalog"."char"'), ('INTEGER'), ('"pg_catalog"."_int4"'), ('pg_catalog . int4'), ('"pg_catalog"."timestamptz"'), ('"pg_catalog"."bpchar"'), ('bpchar'), ('"bpchar"'), ('char'), ('character varying(10)'), ('"numeric"(10,2)'), ('Double  Precision'), ('timestamp with time zone'), ('pg_catalog.numeric(4)'), ('pg_catalog.regclass'), ('"pg_catalog"."oidvector"')) v(x);
select to_regtype('"integer"'), to_regtype('pg_catalog.integer'), to_regtype('"timestamp with time zone"'), to_regtype('"INT4"'), to_regtype('"nope"'), to_regtype('pg_catalog.nope'), to_regtype('public.int4');
select '"INT4"'::regtype;
select '"pg_catalog"."nope"'::regtype;
select '"integer"'::regtype;
select format_type(('"' || n.nspname || '"."' || t.typname || '"')::regtype, null) from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typname in ('int4', 'text', 'bpchar', '_varchar', 'char') order by 1;
select '"No such"'::regclass;
select 'public."No such"'::regclass;
select '"No such"'::regrole;
select '"No such"'::regproc;
-- the database's name may stand before a schema's
select to_regclass(current_database() || '.public.types'), ('"' || current_database() || '"."public"."types"')::regclass, to_regclass('public.types');
select has_table_privilege(current_database() || '.public.types', 'select');
