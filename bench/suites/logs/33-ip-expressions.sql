select ip, ip - 1 as a, ip - 2 as b, ip - 3 as c, count(*) as requests
from log
group by ip, ip - 1, ip - 2, ip - 3
order by requests desc, ip limit 10
