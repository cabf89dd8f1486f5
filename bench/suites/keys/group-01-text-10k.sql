select count(*), sum(n) from (select text_10k, sum(value) as n from entry group by text_10k) as g
