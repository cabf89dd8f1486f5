select count(distinct search_phrase), count(search_phrase) from log
