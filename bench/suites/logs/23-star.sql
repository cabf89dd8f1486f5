select * from log where url like '%/wolf/crown%' order by at limit 10
