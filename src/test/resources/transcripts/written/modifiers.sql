-- What columns are declared with is told with their values.
create table declared (a bit(5), b bit varying(7), c interval(3), d timestamp(2), e time(1), f timestamptz(0), g interval day to second(2), h timetz(1), i varchar(3), j char(2));
select a, b, c, d, e, f, g, h, i, j from declared \gdesc
insert into declared (a, b) values (B'10101', B'1');
insert into declared (a) values (B'1');
insert into declared (b) values (B'11111111');
select a, a::bit(8) as wide, b from declared \gdesc
select a, b, a || b as c, a & B'00110' as d from declared;
create table of_declared as select a, b, h from declared;
\d of_declared

-- Values as the columns take them.
create table fitted(a bit(5), b varbit(3), c time(1), d timestamp(2), e interval(1), f timetz(1), g numeric(50,2), h varchar(3), i char(3), j timestamptz(0));
insert into fitted(a) values (B'1');
insert into fitted(a) values ('1');
insert into fitted(a) select B'1';
insert into fitted(a) values (B'1111111');
insert into fitted(a) values (B'11111');
insert into fitted(a) values (1::bit(5));
insert into fitted(a) values (5);
insert into fitted(b) values (B'11111');
insert into fitted(b) values ('11111');
insert into fitted(b) select B'11111';
insert into fitted(b) values (B'111');
insert into fitted(b) values (B'11111'::varbit(3));
copy fitted(a) from stdin;
1
\.
copy fitted(b) from stdin;
1111
\.
insert into fitted(c) values ('10:00:00.999'), (time '10:00:00.55');
insert into fitted(c) select time '10:00:00.55';
insert into fitted(d) values ('2020-01-01 10:00:00.9999'), (timestamp '2020-01-01 10:00:00.555');
insert into fitted(d) select timestamp '2020-01-01 10:00:00.555';
insert into fitted(e) values ('1.55 s'), (interval '1.55 s');
insert into fitted(e) select interval '1.55 s';
insert into fitted(f) values ('10:00:00.55+01'), (timetz '10:00:00.55+01');
insert into fitted(f) select timetz '10:00:00.55+01';
insert into fitted(g) values (1.005), ('1.005');
insert into fitted(g) select 1.005;
insert into fitted(h) values ('abc  '), ('abcd');
insert into fitted(h) values ('abc  ');
insert into fitted(h) select 'abcd';
insert into fitted(i) values ('a'), ('abc  ');
insert into fitted(i) select 'abcd';
insert into fitted(j) select timestamptz '2020-01-01 10:00:00.6+00';
insert into fitted(j) values ('2020-01-01 10:00:00.6+00');
update fitted set a = B'1' where a is not null;
update fitted set b = B'1111' where b is not null;
update fitted set c = time '10:00:00.77', d = timestamp '2020-01-01 10:00:00.777', e = interval '1.77 s', f = timetz '10:00:00.77+01', g = 7.777, j = timestamptz '2020-01-01 10:00:00.7+00' where c is not null;
update fitted set h = 'abcd' where h is not null;
table fitted order by 1,2,3,4,5,6,7,8,9,10;
copy fitted(g) from stdin;
7.777
\.
insert into fitted(g) values (7.777::float8), (7), ('8.888');
insert into fitted(g) values (1.005);
select g from fitted where g is not null order by g;
