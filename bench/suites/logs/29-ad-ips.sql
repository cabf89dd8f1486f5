select ad_engine, ip, count(*) as requests, sum(flag_01), avg(width)
from log
where search_phrase is not null
group by ad_engine, ip
order by requests desc, ad_engine, ip limit 10
