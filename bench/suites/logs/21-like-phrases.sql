select search_phrase, min(url), count(*) as requests
from log
where url like '%mirror%' and search_phrase is not null
group by search_phrase
order by requests desc, search_phrase limit 10
