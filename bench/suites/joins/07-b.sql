SELECT count(*), max(p3.born), max(w4.note), min(a6.year)
FROM alias AS a5, award AS a6, country AS c1, country AS c2, work_company AS w4, person AS p3, company AS c0
WHERE c0.country_id = c1.id
  AND c0.country_id = c2.id
  AND p3.country_id = c2.id
  AND w4.company_id = c0.id
  AND a5.person_id = p3.id
  AND a6.person_id = p3.id
  AND c0.country_id = p3.country_id
  AND p3.born IS NULL
  AND w4.note IS NULL
