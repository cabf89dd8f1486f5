select search_phrase, count(*) as requests
from log
where search_phrase is not null
group by search_phrase
order by requests desc, search_phrase limit 10
