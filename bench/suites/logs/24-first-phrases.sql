select search_phrase from log where search_phrase is not null order by seen limit 10
