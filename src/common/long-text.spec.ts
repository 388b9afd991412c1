import { LongText } from './long-text.js';

const BODY = Buffer.from(`${'before '.repeat(2000)}<the text>${' behind'.repeat(2000)}`);
const AT = BODY.indexOf('<');

describe('A long text', () => {
  it('keeps what it was cut out of, until it is settled', () => {
    const cut = LongText.inParts([BODY.subarray(AT, AT + 4), BODY.subarray(AT + 4, AT + 10)]);
    expect(cut.heldBytes).toBe(BODY.buffer.byteLength);
    const settled = cut.detachedFromBody();
    expect([settled.toString(), settled.length, settled.digest()]).toEqual(['<the text>', 10, cut.digest()]);
    expect(settled.heldBytes).toBeLessThan(BODY.buffer.byteLength);
  });

  it('stays where it is while it is most of its memory', () => {
    const most = LongText.inParts([BODY.subarray(10)]);
    expect(most.detachedFromBody()).toBe(most);
  });
});
