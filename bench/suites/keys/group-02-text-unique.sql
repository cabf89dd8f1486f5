select count(*), sum(n) from (select text_unique, sum(value) as n from entry group by text_unique) as g
