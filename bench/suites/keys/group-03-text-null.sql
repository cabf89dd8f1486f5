select count(*), sum(n) from (select text_null, sum(value) as n from entry group by text_null) as g
