SELECT count(*), min(w0.title), min(m2.joined), min(c3.note)
FROM work AS w0, credit AS c3, country AS c5, member AS m4, member AS m2, review AS r1
WHERE r1.work_id = w0.id
  AND r1.member_id = m2.id
  AND c3.work_id = w0.id
  AND r1.member_id = m4.id
  AND m4.country_id = c5.id
  AND r1.work_id = c3.work_id
  AND m2.joined >= '2020-01-01'
  AND c5.code = 'ru'
