select search_phrase, count(distinct user_id) as users
from log
where search_phrase <> ''
group by search_phrase
order by users desc, search_phrase limit 10
