select region_id, sum(ad_engine), count(*) as requests, avg(width), count(distinct user_id)
from log
group by region_id
order by requests desc, region_id limit 10
