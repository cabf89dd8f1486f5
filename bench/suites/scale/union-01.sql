select n_many, sum(x) as x from (select n_many, v3 as x from fact union all select n_many, amount from other) as both_tables group by n_many order by x desc, n_many limit 50
