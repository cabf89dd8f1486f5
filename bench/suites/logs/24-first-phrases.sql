select search_phrase from log where search_phrase is not null order by at limit 10
