import { LONG_BYTES } from '../../../common/long-text.js';
import { RowScript } from './row-script.js';

describe('A script of rows', () => {
  it('puts the short values of a statement into its text', () => {
    const statement = { sql: 'UPDATE note SET text = $1, n = $2 WHERE text <> $1', params: ["It's $2", 7] };
    const parts = new RowScript().add('DELETE FROM note;', statement).finish();
    expect(parts).toEqual([`DELETE FROM note;UPDATE note SET text = 'It''s $2', n = 7 WHERE text <> 'It''s $2';`]);
  });

  it('binds the long values of a statement, and keeps the order of the statements', () => {
    const long = 'x'.repeat(LONG_BYTES + 1);
    const statement = { sql: 'UPDATE note SET n = $1, text = $2', params: [null, long] };
    const parts = new RowScript().add('DELETE FROM note;', statement, 'DELETE FROM other;').finish();
    expect(parts).toEqual([
      'DELETE FROM note;',
      { sql: 'UPDATE note SET n = NULL, text = $1;', params: [long] },
      'DELETE FROM other;',
    ]);
  });
});
