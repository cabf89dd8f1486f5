-- What COPY says of rows that are wrong, and of headers that are.
create table c (a text);
create table n (a int, b text);
copy c from stdin (format csv, header match);
a,b
x
\.
copy n from stdin (format csv, header match);
a
\.
copy c from stdin (header match);
\N
x
\.
copy c from stdin (format csv, header match, null 'a');
a
x
\.
copy n from stdin (header match);
a	c
\.
copy c from stdin csv;
a
"open
more
\.
copy c from stdin (format csv, header);
header
x
1,2
\.
copy c from stdin csv;
a
"c
d",e
\.
copy n from stdin csv;
1,
2,
"3
4",
\.
copy c from stdin;
\xff
\.
copy c from stdin;
ok
\0
\.
copy n from stdin;
xéééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé	b
\.
table c;
table n;
