select count(*), sum(n) from (select uuid_10k, sum(value) as n from entry group by uuid_10k) as g
