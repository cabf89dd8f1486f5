select day, sum(price) as revenue, count(price), round(avg(price), 4) from log group by day order by day
