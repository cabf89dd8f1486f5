select count(*), sum(n) from (select wide_10k, wide_few, sum(value) as n from entry group by wide_10k, wide_few) as g
