\set VERBOSITY verbose
set timezone = 'Europe/Berlin';
create table w (a int not null, b text, c numeric(10,2), d timestamptz, e varchar(3), f int[], g double precision, h timestamp(3), j json);
copy w (a,b,c,d,e,f) from stdin;
1	hello	1.5	2020-01-01 00:00:00+00	abc	{1,2,3}
2	\N	\N	2020-07-01 00:00	\N	\N
3	tab\there\nnl \\ \101 \x42	12.345	2020-01-01	x  	{}
\.
select * from w order by a;
copy w (a) from stdin;
x
\.
copy w (a,b) from stdin with (format csv, header, null 'NULL');
a,b
7,"quoted, ""x"""
\.
copy w (a, e) from stdin;
10	toolong
\.
copy w (a, b) from stdin (on_error ignore);
20	a
y	b
21	c
\.
copy w (a, b) from stdin (on_error ignore, reject_limit 1);
20	a
y	b
z	c
\.
copy w (a, b) from stdin;
1
\.
copy w (a, b) from stdin;
1	2	3
\.
copy w (a, b) from stdin (delimiter '|', null 'nil');
41|nil
42|\nil
43|a\|b
\.
copy w (a, f) from stdin;
50	{1,2
\.
copy w (a, b, a) from stdin;
copy w(nope) from stdin;
copy nope from stdin;
copy w from stdin (format csv, quote 'ab');
copy w from stdin (force_null (a));
copy w from stdin (format binary, header);
copy w (a) from stdin (format csv, force_null (b));
copy w (a) from stdin (format binary, on_error ignore);
copy w from stdin (foo);
copy w from stdin (reject_limit 1);
copy w (a, h) from stdin;
60	2020-01-01 00:00:00.12345
61	infinity
62	epoch
\.
copy w (a, h) from stdin;
60	2020-01-32
\.
copy w (a, b) from stdin (header match);
a	c
1	2
\.
copy w (a, b) from stdin (header);
a	c
70	2
\.
select a, b, e, f, h from w order by a, b;
copy (select a, b, c from w order by a limit 4) to stdout;
drop table w;
