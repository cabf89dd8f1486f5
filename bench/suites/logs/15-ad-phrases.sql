select ad_engine, search_phrase, count(*) as requests
from log
where search_phrase is not null
group by ad_engine, search_phrase
order by requests desc, ad_engine, search_phrase limit 10
