select search_phrase, at from log where search_phrase is not null order by search_phrase, at limit 10
