select count(*), sum(v3) from fact f where not exists (select 1 from other o where o.fact_id = f.id)
