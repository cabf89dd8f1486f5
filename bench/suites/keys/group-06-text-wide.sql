select count(*), sum(n) from (select text_10k, wide_few, sum(value) as n from entry group by text_10k, wide_few) as g
