select count(*), sum(n) from (select wide_500k, sum(value) as n from entry group by wide_500k) as g
