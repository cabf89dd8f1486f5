SELECT count(*), max(p0.name), max(c1.note), max(w2.year)
FROM link AS l4, country AS c5, work AS w2, person AS p0, language AS l3, credit AS c1
WHERE c1.person_id = p0.id
  AND c1.work_id = w2.id
  AND w2.language_id = l3.id
  AND l4.work_id = w2.id
  AND p0.country_id = c5.id
  AND c5.code = 'us'
  AND l3.name LIKE '%n%'
