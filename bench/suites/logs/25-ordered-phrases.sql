select search_phrase, seen from log where search_phrase is not null order by search_phrase, seen limit 10
