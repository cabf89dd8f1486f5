select search_phrase, min(url), min(title), count(*) as requests, count(distinct user_id)
from log
where title like '%river%' and url not like '%shop.%' and search_phrase is not null
group by search_phrase
order by requests desc, search_phrase limit 10
