select count(*), sum(f.v1), sum(o.amount) from fact f join other o on f.id = o.fact_id and f.n_many > o.n_many
