select ad_engine, count(*) as requests from log where ad_engine <> 0 group by ad_engine order by requests desc, ad_engine
