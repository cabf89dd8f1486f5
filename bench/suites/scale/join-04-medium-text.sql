select m.code, count(*) as rows, sum(f.v1) from fact f join medium m on f.medium_id = m.id where m.half group by m.code order by rows desc, m.code limit 50
