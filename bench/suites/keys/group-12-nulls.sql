select count(*), sum(n) from (select text_null, wide_null, c_first, sum(value) as n from entry group by text_null, wide_null, c_first) as g
