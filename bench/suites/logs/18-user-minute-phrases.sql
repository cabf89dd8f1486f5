select user_id, extract(minute from seen) as m, search_phrase, count(*) as requests
from log
group by user_id, m, search_phrase
order by requests desc, user_id, m, search_phrase limit 10
