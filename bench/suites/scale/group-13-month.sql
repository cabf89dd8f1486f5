select date_trunc('month', placed)::date as month, count(*), sum(v3), count(distinct n_many) from fact group by month order by month
