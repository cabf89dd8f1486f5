{{ config(materialized='incremental') }}
select count(*) as n, sum(amount) as amount from {{ ref('typed') }} join {{ ref('by_key') }} using (id)
