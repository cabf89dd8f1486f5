select url, count(*) as requests from log group by url order by requests desc, url limit 10
