select n_few, v3, id from (select n_few, v3, id, row_number() over (partition by n_few order by v3 desc, id) as place from fact) as ranked where place <= 2 order by n_few, v3 desc, id
