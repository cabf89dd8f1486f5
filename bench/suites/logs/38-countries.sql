select country, status, count(*) as requests, sum(bytes) as bytes, avg(millis) as millis, max(millis)
from log
where method = 'GET'
group by country, status
having count(*) > 10
order by bytes desc, country, status limit 20
