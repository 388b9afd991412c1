import { LONG_BYTES } from '../../../../common/long-text.js';
import { RowScript } from './row-script.js';

describe('A script of rows', () => {
  it('puts the short values of a statement into its text', () => {
    const statement = { sql: 'UPDATE note SET text = $1, n = $2 WHERE text <> $1', params: ["It's $2", 7] };
    const parts = new RowScript('sqlite').add('DELETE FROM note;', statement).finish();
    expect(parts).toEqual([`DELETE FROM note;UPDATE note SET text = 'It''s $2', n = 7 WHERE text <> 'It''s $2';`]);
  });

  it('reads a backslash as itself, whatever PostgreSQL is set to', () => {
    const rows = [{ text: `x\\'); DROP TABLE note; --` }];
    const parts = (dialect: 'sqlite' | 'postgres') => new RowScript(dialect).insert('note', ['text'], rows).finish();
    expect(parts('sqlite')).toEqual([`INSERT INTO note(text) VALUES ('x\\''); DROP TABLE note; --');`]);
    expect(parts('postgres')).toEqual([`INSERT INTO note(text) VALUES (E'x\\\\''); DROP TABLE note; --');`]);
  });

  it('binds the long values of a statement, and keeps the order of the statements', () => {
    const long = 'x'.repeat(LONG_BYTES + 1);
    const statement = { sql: 'UPDATE note SET n = $1, text = $2', params: [null, long] };
    const parts = new RowScript('sqlite').add('DELETE FROM note;', statement, 'DELETE FROM other;').finish();
    expect(parts).toEqual([
      'DELETE FROM note;',
      { sql: 'UPDATE note SET n = NULL, text = $1;', params: [long] },
      'DELETE FROM other;',
    ]);
  });

  it('leaves out the columns that are null in all rows', () => {
    const rows = [
      { id: 1, text: null, n: null },
      { id: 2, text: "It's", n: null },
    ];
    const columns = ['id', 'text', 'n'];
    expect(new RowScript('sqlite').upsert('note', ['id'], columns, ['id'], rows).finish()).toEqual([
      "INSERT INTO note(id,text) VALUES (1,NULL),(2,'It''s') ON CONFLICT(id) DO UPDATE SET text=excluded.text,n=excluded.n;",
    ]);
  });

  it('works a last column out once for all rows where that needs a query, and for each row with a long value', () => {
    const last = { column: 'change', sql: '(SELECT 1)', isQuery: true };
    const rows = [{ id: 1 }, { id: 2 }];
    expect(new RowScript('sqlite').insert('note', ['id'], rows, last).finish()).toEqual([
      'INSERT INTO note(id,change) SELECT *,(SELECT 1) FROM (VALUES (1),(2)) WHERE TRUE;',
    ]);
    expect(
      new RowScript('sqlite').upsert('note', ['id'], ['id'], ['id'], rows, { ...last, isQuery: false }).finish(),
    ).toEqual([
      'INSERT INTO note(id,change) VALUES (1,(SELECT 1)),(2,(SELECT 1)) ON CONFLICT(id) DO UPDATE SET change=excluded.change;',
    ]);
    const long = 'x'.repeat(LONG_BYTES + 1);
    expect(new RowScript('sqlite').insert('note', ['text'], [{ text: long }], last).finish()).toEqual([
      { sql: 'INSERT INTO note(text,change) VALUES ($1,(SELECT 1));', params: [long] },
    ]);
  });

  it('makes no text of many megabytes', () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, text: `${id}`.padEnd(LONG_BYTES, 'x') }));
    const parts = new RowScript('sqlite').insert('note', ['id', 'text'], rows).add('DELETE FROM other;').finish();
    expect(Math.max(...parts.map((part) => (part as string).length))).toBeLessThan(6 * LONG_BYTES);
    const ids = parts.flatMap((part) => [...(part as string).matchAll(/\((\d+),'/g)].map(([, id]) => Number(id)));
    expect(ids).toEqual(rows.map(({ id }) => id));
    expect(parts.at(-1)).toMatch(/;DELETE FROM other;$/);
  });
});
