SELECT count(*), min(p0.name), max(c3.note), min(w6.note)
FROM role AS r4, work_company AS w6, work AS w9, country AS c10, person AS p0, company AS c8, work AS w5, alias AS a2, credit AS c3, edition AS e7, country AS c1
WHERE p0.country_id = c1.id
  AND a2.person_id = p0.id
  AND c3.person_id = p0.id
  AND c3.role_id = r4.id
  AND c3.work_id = w5.id
  AND w6.work_id = w5.id
  AND e7.country_id = c1.id
  AND w6.company_id = c8.id
  AND e7.work_id = w9.id
  AND w9.country_id = c10.id
  AND c1.code = 'in'
  AND e7.released BETWEEN '1990-01-01' AND '2005-12-31'
  AND w6.note LIKE '%(20%'
  AND p0.born > '1908-11-12'
