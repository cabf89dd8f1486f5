{% snapshot kept %}
{{ config(target_schema='built', unique_key='id', strategy='check', check_cols=['round']) }}
select id, round from {{ ref('by_key') }}
{% endsnapshot %}
