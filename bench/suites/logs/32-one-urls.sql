select 1 as one, url, count(*) as requests from log group by one, url order by requests desc, url limit 10
