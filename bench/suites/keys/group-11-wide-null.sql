select count(*), sum(n) from (select wide_null, sum(value) as n from entry group by wide_null) as g
