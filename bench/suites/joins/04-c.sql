SELECT count(*), max(w1.note), max(w3.title), max(w3.year)
FROM work AS w3, company AS c0, work_company AS w1, country AS c2
WHERE w1.company_id = c0.id
  AND c0.country_id = c2.id
  AND w1.work_id = w3.id
  AND c0.name LIKE 'K%'
  AND w1.note IS NULL
