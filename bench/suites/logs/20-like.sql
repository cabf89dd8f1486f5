select count(*) from log where url like '%/garden/%'
