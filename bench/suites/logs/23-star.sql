select * from log where url like '%/wolf/crown%' order by seen limit 10
