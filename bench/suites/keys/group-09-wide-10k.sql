select count(*), sum(n) from (select wide_10k, sum(value) as n from entry group by wide_10k) as g
