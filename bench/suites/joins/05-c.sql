SELECT count(*), max(r0.stars), min(w2.title), max(w2.year)
FROM work AS w2, review AS r0, country AS c3, member AS m4, member AS m1
WHERE r0.member_id = m1.id
  AND r0.work_id = w2.id
  AND m1.country_id = c3.id
  AND r0.member_id = m4.id
  AND c3.continent = 'europe'
  AND m1.plan = 'free'
