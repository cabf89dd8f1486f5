// pgx: a connection string; prints what it got.
package main

import (
	"bytes"
	"context"
	"fmt"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"os"
	"time"
)

func main() {
	failed := false
	ctx := context.Background()
	c, err := pgx.Connect(ctx, os.Args[1])
	if err != nil {
		fmt.Println("FAIL connect", err)
		os.Exit(1)

	}
	show := func(n string, f func() (any, error)) {
		v, err := f()
		if err != nil {
			failed = true
			fmt.Println("FAIL", n, err)
		} else {
			fmt.Println("ok ", n, v)
		}
	}
	show("row", func() (any, error) {
		var a int
		var s string
		var t time.Time
		err := c.QueryRow(ctx, "select $1::int+1, $2::text, $3::timestamptz", 41, "x", time.Unix(0, 0).UTC()).Scan(&a, &s, &t)
		return []any{a, s, t.UTC()}, err
	})
	show("arrays", func() (any, error) {
		var a []int32
		var s []string
		err := c.QueryRow(ctx, "select $1::int[], $2::text[]", []int32{1, 2}, []string{"a", "b"}).Scan(&a, &s)
		return []any{a, s}, err
	})
	show("numeric", func() (any, error) {
		var a pgtype.Numeric
		err := c.QueryRow(ctx, "select 1.50::numeric").Scan(&a)
		return a.Exp, err
	})
	show("jsonb", func() (any, error) {
		var a map[string]any
		err := c.QueryRow(ctx, `select '{"a":1}'::jsonb`).Scan(&a)
		return a, err
	})
	show("interval", func() (any, error) {
		var a pgtype.Interval
		err := c.QueryRow(ctx, `select interval '1 day 2 hours'`).Scan(&a)
		return a, err
	})
	show("uuid", func() (any, error) {
		var a pgtype.UUID
		err := c.QueryRow(ctx, `select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid`).Scan(&a)
		return a, err
	})
	show("inet", func() (any, error) {
		var a string
		err := c.QueryRow(ctx, `select '10.0.0.1/8'::inet::text`).Scan(&a)
		return a, err
	})
	show("range", func() (any, error) {
		var a pgtype.Range[pgtype.Int4]
		err := c.QueryRow(ctx, `select int4range(1,5)`).Scan(&a)
		return a.Upper.Int32, err
	})
	show("types", func() (any, error) {
		rows, err := c.Query(ctx, "select * from types order by id")
		if err != nil {
			return nil, err
		}
		n := 0
		for rows.Next() {
			if _, err := rows.Values(); err != nil {
				return nil, err
			}
			n++
		}
		return n, rows.Err()
	})
	show("batch", func() (any, error) {
		b := &pgx.Batch{}
		for i := 0; i < 5; i++ {
			b.Queue("select $1::int", i)
		}
		r := c.SendBatch(ctx, b)
		s := 0
		for i := 0; i < 5; i++ {
			var x int
			if err := r.QueryRow().Scan(&x); err != nil {
				return nil, err
			}
			s += x
		}
		return s, r.Close()
	})
	show("copyto", func() (any, error) {
		var w bytes.Buffer
		t, err := c.PgConn().CopyTo(ctx, &w, "copy words to stdout")
		return []any{t.RowsAffected(), w.Len()}, err
	})
	show("prepare", func() (any, error) {
		_, err := c.Prepare(ctx, "ps1", "select $1::int8")
		if err != nil {
			return nil, err
		}
		var x int64
		err = c.QueryRow(ctx, "ps1", int64(7)).Scan(&x)
		return x, err
	})
	show("tx ro", func() (any, error) {
		tx, err := c.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			return nil, err
		}
		var x int
		err = tx.QueryRow(ctx, "select 1").Scan(&x)
		tx.Commit(ctx)
		return x, err
	})
	show("savepoint", func() (any, error) {
		tx, err := c.Begin(ctx)
		if err != nil {
			return nil, err
		}
		t2, err := tx.Begin(ctx)
		if err != nil {
			return nil, err
		}
		_, e := t2.Exec(ctx, "select 1/0")
		t2.Rollback(ctx)
		var x int
		err = tx.QueryRow(ctx, "select 5").Scan(&x)
		tx.Rollback(ctx)
		return []any{e != nil, x}, err
	})
	show("loadtype", func() (any, error) {
		t, err := c.LoadType(ctx, "grade")
		if err != nil {
			return nil, err
		}
		return t.Name, nil
	})
	show("timeout", func() (any, error) {
		cx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := c.Exec(cx, "select pg_sleep(5)")
		return err != nil, nil
	})
	p, err := pgxpool.New(ctx, os.Args[1])
	show("pool", func() (any, error) {
		done := make(chan error, 20)
		for i := 0; i < 20; i++ {
			go func(i int) { var x int; done <- p.QueryRow(ctx, "select $1::int", i).Scan(&x) }(i)
		}
		for i := 0; i < 20; i++ {
			if e := <-done; e != nil {
				return nil, e
			}
		}
		return 20, err
	})
	for _, m := range []string{"simple_protocol", "exec", "cache_describe", "describe_exec"} {
		show(m, func() (any, error) {
			cc, err := pgx.Connect(ctx, os.Args[1]+"&default_query_exec_mode="+m)
			if err != nil {
				return nil, err
			}
			var a int
			var s string
			err = cc.QueryRow(ctx, "select $1::int+1, $2::text", 41, "x'y").Scan(&a, &s)
			cc.Close(ctx)
			return []any{a, s}, err
		})
	}
	if failed {
		os.Exit(1)
	}
}
