select date_trunc('hour', seen) as hour, count(*), count(distinct user_id), avg(millis)
from log
where day between '2025-07-10' and '2025-07-12'
group by hour
order by hour
