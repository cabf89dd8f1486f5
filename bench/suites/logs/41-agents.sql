select agent, count(*) as requests, sum(case when status >= 500 then 1 else 0 end) as failed, 100.0 * sum(case when status >= 500 then 1 else 0 end) / count(*) as share
from log
where agent like '%Android%' or agent like '%iPhone%'
group by agent
having sum(case when status >= 500 then 1 else 0 end) > 0
order by share desc, agent limit 20
