"""Spark over its own JDBC catalog: the driver's jar, the port. Prints plans and rows; counts, groups, top-N and joins go whole to the server."""
import sys

from pyspark.sql import SparkSession

jar, port = sys.argv[1], sys.argv[2]
url = f'jdbc:postgresql://127.0.0.1:{port}/quarrel?user=analyst'
spark = (
    SparkSession.builder.master('local[2]')
    .config('spark.jars', jar)
    .config('spark.driver.extraClassPath', jar)
    .config('spark.ui.enabled', 'false')
    .config('spark.sql.catalog.q', 'org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog')
    .config('spark.sql.catalog.q.url', url)
    .config('spark.sql.catalog.q.driver', 'org.postgresql.Driver')
    .config('spark.sql.catalog.q.pushDownAggregate', 'true')
    .config('spark.sql.catalog.q.pushDownLimit', 'true')
    .config('spark.sql.catalog.q.pushDownOffset', 'true')
    .config('spark.sql.optimizer.datasourceV2JoinPushdown', 'true')
    .getOrCreate()
)
spark.sparkContext.setLogLevel('ERROR')


def check(sql, *pushed):
    frame = spark.sql(sql)
    rows = frame.collect()
    plan = frame._jdf.queryExecution().executedPlan().toString()
    for what in pushed:
        assert what in plan, (sql, what, plan)
    print('ok  ', sql, rows[:3])
    return rows


tables = {row.tableName for row in check('show tables in q.public')}
assert {'orders', 'customers', 'types'} <= tables, tables
assert len(check('describe table q.public.types')) == 15
count = check('select count(*) from q.public.orders', 'PushedAggregates: [COUNT(*)]')[0][0]
check('select count(*) from q.public.orders where id between 10 and 20', 'PushedFilters: [id IS NOT NULL, id >= 10, id <= 20]')
check(
    'select customer_id, count(*) c, sum(amount) s from q.public.orders group by customer_id order by c desc, 1 limit 3',
    'PushedGroupByExpressions: [customer_id]',
    'PushedTopN')
check('select id, amount from q.public.orders order by amount desc, id limit 3', 'PushedTopN')
check(
    'select c.name, count(*) n from q.public.orders o join q.public.customers c on o.customer_id = c.id'
    ' group by c.name order by n desc, 1 limit 3',
    'PushedJoins',
    'PushedTopN')
check('select * from q.public.types order by id limit 3')
frame = (
    spark.read.format('jdbc')
    .option('url', url)
    .option('driver', 'org.postgresql.Driver')
    .option('dbtable', 'orders')
    .option('partitionColumn', 'id')
    .option('lowerBound', '0')
    .option('upperBound', '10000')
    .option('numPartitions', '4')
    .load()
)
assert frame.rdd.getNumPartitions() == 4 and frame.count() == count
print('ok   partitions')
