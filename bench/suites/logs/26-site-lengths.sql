select site_id, avg(length(url)) as l, count(*) as requests
from log
where url <> ''
group by site_id
having count(*) > 100
order by l desc, site_id limit 25
