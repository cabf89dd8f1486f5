select count(*), sum(f.v3), sum(o.amount) from fact f join other o on f.id = o.fact_id
