select k, acldefault(k::"char", 10) is not null from (values ('c'),('r'),('s'),('d'),('f'),('l'),('L'),('n'),('t'),('F'),('S'),('T'),('p')) v(k);
select replace(acldefault('f', 10)::text, pg_get_userbyid(10), 'me'), replace(acldefault('d', 10)::text, pg_get_userbyid(10), 'me'), replace(acldefault('p', 10)::text, pg_get_userbyid(10), 'me'), acldefault('c', 10);
select acldefault('x', 10);
