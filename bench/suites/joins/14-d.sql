SELECT count(*), min(w0.title), min(r3.votes), min(c8.name)
FROM language AS l13, country AS c9, company AS c8, rating AS r3, link AS l1, review AS r4, work AS w10, link_kind AS l2, work AS w0, country AS c7, member AS m5, country AS c12, link_kind AS l6, country AS c11
WHERE l1.work_id = w0.id
  AND l1.kind_id = l2.id
  AND r3.work_id = w0.id
  AND r4.work_id = w0.id
  AND r4.member_id = m5.id
  AND l1.kind_id = l6.id
  AND m5.country_id = c7.id
  AND c8.country_id = c7.id
  AND w0.country_id = c9.id
  AND l1.linked_id = w10.id
  AND c8.country_id = c11.id
  AND c8.country_id = c12.id
  AND w0.language_id = l13.id
  AND l13.name = 'japanese'
  AND w0.year BETWEEN 1990 AND 2010
  AND r3.score BETWEEN 5 AND 7
  AND l6.name LIKE '%of%'
  AND r4.stars = 5
