select user_id, search_phrase, count(*) as requests
from log
group by user_id, search_phrase
order by requests desc, user_id, search_phrase limit 10
