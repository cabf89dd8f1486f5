"""Runs other people's PostgreSQL clients against PostgreSQL (port argv[1]) and Quarrel (argv[2])."""
import asyncio
import io
import sys

failed = []
D=dict(host='127.0.0.1',port=int(sys.argv[2]),user='a',dbname='quarrel')
P=dict(host='127.0.0.1',port=int(sys.argv[1]),user='postgres',dbname='postgres')
def t(name):
    def d(f):
        try: print('ok  ',name,f())
        except Exception as e: failed.append(name); print('FAIL',name,type(e).__name__,str(e)[:300].replace('\n',' | '))
    return d
import psycopg, pyarrow as pa, pyarrow.ipc as ipc
def copybytes(dsn,q):
    with psycopg.connect(**dsn) as c, c.cursor() as cur:
        with cur.copy(q) as cp: return b''.join(bytes(x) for x in cp)
@t('psycopg copy binary equal')
def _():
    n=0
    for q in ['copy (select * from types order by id) to stdout (format binary)','copy (select id,u,b,note from scalars order by id) to stdout with binary','copy nothing to stdout binary',
              'copy (select * from spans order by id) to stdout (format binary)','copy (select * from other.documents order by id) to stdout (format binary)',
              "copy (values (array[1,2,null], '{\"a\":[1]}'::jsonb, interval '1 day', true, '1.5'::numeric, '10.0.0.1/8'::inet)) to stdout binary"]:
        a,b=copybytes(P,q),copybytes(D,q); n+=len(a)
        assert a==b,(q,len(a),len(b))
    return n
for comp in ('','none','lz4','zstd'):
    @t('arrow '+comp)
    def _():
        b=copybytes(D,'copy (select id,b,i8,n,nl,d,ts,tz,t,c,f8 from types order by id) to stdout (format arrow'+(', compression '+comp if comp else '')+')')
        tb=ipc.open_stream(io.BytesIO(b)).read_all(); tb.validate(full=True)
        return tb.num_rows, len(b), tb.schema.field('tz').type
@t('arrow empty')
def _(): return ipc.open_stream(io.BytesIO(copybytes(D,'copy nothing to stdout (format arrow)'))).read_all().schema.names
@t('arrow error midway')
def _():
    try: copybytes(D,'copy (select 1/(id-4000) from types) to stdout (format arrow)')
    except psycopg.errors.DivisionByZero as e: return 'division by zero'
@t('psycopg server cursor')
def _():
    out=[]
    for d in (P,D):
        with psycopg.connect(**d) as c:
            with c.cursor('nam"ed') as cur:
                cur.itersize=100
                cur.execute('select id,t from types order by id')
                out.append([cur.fetchone(),cur.fetchmany(3),len(cur.fetchall())])
            with c.cursor('s',scrollable=True,withhold=True,binary=True) as cur:
                cur.execute('select g, g*1.5 from generate_series(1,50) g')
                cur.scroll(10); a=cur.fetchone(); cur.scroll(-5); b=cur.fetchone(); cur.scroll(0,mode='absolute'); x=cur.fetchone()
                c.commit(); y=cur.fetchmany(2)
                out[-1]+= [a,b,x,y]
    assert out[0]==out[1],out
    return out[1]
import psycopg2
@t('psycopg2 named cursor, copy_expert')
def _():
    out=[]
    for d in (P,D):
        c=psycopg2.connect(**d); cur=c.cursor('x'); cur.itersize=7; cur.execute('select id from types order by id limit 20'); r=[x for x in cur]
        cur.close(); cur=c.cursor(); f=io.StringIO(); cur.copy_expert('copy (select id,t from types order by id limit 5) to stdout csv header',f); out.append((r,f.getvalue())); c.close()
    assert out[0]==out[1]
    return len(out[0][1])
import asyncio,asyncpg
@t('asyncpg pool, cursor, copy, prepared')
def _():
    async def run(d):
        d=dict(d); d['database']=d.pop('dbname')
        async with asyncpg.create_pool(**d,min_size=1,max_size=3) as pool:
            async with pool.acquire() as c:
                async with c.transaction():
                    cur=await c.cursor('select id from types order by id'); r=await cur.fetch(3); await cur.forward(2); r2=await cur.fetchrow()
                f=io.BytesIO(); s=await c.copy_from_query('select id,t from types where id < $1 order by id',5,output=f,format='csv')
                f2=io.BytesIO(); s2=await c.copy_from_table('customers',output=f2,columns=['id','name'])
                p=await c.fetch('select $1::int[] as a, $2::text',[1,2],'x')
            async with pool.acquire() as c: v=await c.fetchval('select 1')
        return [x[0] for x in r],r2[0],f.getvalue(),s,s2,len(f2.getvalue()),[tuple(x) for x in p],v
    a=asyncio.run(run(P)); b=asyncio.run(run(D)); assert a==b,(a,b); return b
import adbc_driver_postgresql.dbapi as adbc
@t('adbc')
def _():
    with adbc.connect('postgresql://a@127.0.0.1:' + sys.argv[2] + '/quarrel') as c, c.cursor() as cur:
        cur.execute('select id,b,i8,f8,n,d,ts,tz,t from types order by id'); t=cur.fetch_arrow_table()
        cur.execute('select id, city from customers where id < $1',parameters=(5,)); t2=cur.fetch_arrow_table()
        return t.num_rows,t2.num_rows, len(c.adbc_get_table_types()), c.adbc_get_table_schema('types').names[:3]
@t('adbc objects')
def _():
    with adbc.connect('postgresql://a@127.0.0.1:' + sys.argv[2] + '/quarrel') as c: return len(c.adbc_get_objects().read_all().to_pylist())
import duckdb
@t('duckdb attach')
def _():
    import glob, sysconfig
    scanner = glob.glob(sysconfig.get_paths()['purelib'] + '/duckdb_extension_postgres_scanner/extensions/*/*.duckdb_extension')[0]
    k=duckdb.connect(config={'allow_unsigned_extensions':'true'}); k.execute(f"load '{scanner}'")
    k.execute("attach 'host=127.0.0.1 port=" + sys.argv[2] + " user=a dbname=quarrel' as q (type postgres, read_only)")
    return k.execute("select count(*), sum(amount) from q.public.orders").fetchall(), len(k.execute("show all tables").fetchall()), len(k.execute("select * from q.public.types").fetchall())
@t('sqlalchemy')
def _():
    import sqlalchemy as sa; o=[]
    for drv in ('psycopg2','psycopg'):
        e=sa.create_engine(f'postgresql+{drv}://a@127.0.0.1:{sys.argv[2]}/quarrel'); i=sa.inspect(e)
        o.append((len(i.get_table_names()),len(i.get_columns('types')),i.get_foreign_keys('types'),i.get_check_constraints('types'),i.get_table_comment('types'),i.get_view_names(),i.get_schema_names(),i.get_table_options('types')))
        sa.MetaData().reflect(e)
    return o
@t('sqlalchemy keys')
def _():
    import sqlalchemy as sa
    def keys(url):
        i=sa.inspect(sa.create_engine(url)); order=lambda found: sorted(found,key=str)
        return {t:(i.get_pk_constraint(t,'keyed'),order(i.get_unique_constraints(t,'keyed')),[x['name'] for x in order(i.get_indexes(t,'keyed')) if x['unique']]) for t in i.get_table_names('keyed')}
    theirs=keys(f'postgresql+psycopg://postgres@127.0.0.1:{sys.argv[1]}/postgres'); ours=keys(f'postgresql+psycopg://a@127.0.0.1:{sys.argv[2]}/quarrel')
    both={t: theirs[t] for t in theirs if t in ours and theirs[t][0]['constrained_columns']}
    assert both
    # lax has keys that can be deferred, which say nothing of rows
    for t in sorted(both.keys()-{'lax'}): assert both[t]==ours[t], (t, both[t], ours[t])
    return both
@t('pandas read_sql chunks')
def _():
    import pandas as pd, sqlalchemy as sa
    e=sa.create_engine('postgresql+psycopg2://a@127.0.0.1:' + sys.argv[2] + '/quarrel').connect().execution_options(stream_results=True)
    return sum(len(x) for x in pd.read_sql(sa.text('select * from types'),e,chunksize=1000))
@t('polars')
def _():
    import polars as pl
    return pl.read_database_uri('select id,t,n from types','postgresql://a@127.0.0.1:' + sys.argv[2] + '/quarrel',engine='adbc').shape
sys.exit(1 if failed else 0)
