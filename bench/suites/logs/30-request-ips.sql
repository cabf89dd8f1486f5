select request_id, ip, count(*) as requests, sum(flag_01), avg(width)
from log
group by request_id, ip
order by requests desc, request_id, ip limit 10
