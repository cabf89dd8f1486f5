select sum(r) from (select rank() over (partition by n_some order by v3) as r from fact) as ranked
