import { AnswerText, LineSplitter, OutputTail } from './output-lines.js';

const textOf = (lines: { bytes: Buffer }[]) => lines.map(({ bytes }) => bytes.toString());

describe('Output', () => {
  it('is the same lines however it is cut into pieces', () => {
    const text = 'one\n\ntwo ü three\nlast';
    const bytes = Buffer.from(`\ufeff${text}`);
    for (let size = 1; size <= bytes.length; size++) {
      const splitter = new LineSplitter(1000);
      const lines: { bytes: Buffer }[] = [];
      for (let at = 0; at < bytes.length; at += size) lines.push(...splitter.push(bytes.subarray(at, at + size)));
      lines.push(...splitter.rest());
      expect(textOf(lines)).toEqual(text.split('\n'));
    }
  });

  it('keeps the beginning of a line that is too long, and goes on with the next', () => {
    const splitter = new LineSplitter(5);
    const lines = [...splitter.push(Buffer.from('123')), ...splitter.push(Buffer.from('4567\n12345\nx\n'))];
    expect(lines.map(({ bytes, isCut }) => [bytes.toString(), isCut])).toEqual([
      ['12345', true],
      ['12345', false],
      ['x', false],
    ]);
  });

  it('makes an answer of bounded length', () => {
    const answer = new AnswerText(10);
    for (let n = 0; n < 1000; n++) answer.add('12345');
    expect(answer.toString()).toBe('12345\n1234\n[the rest of the output was left out]');
  });

  it('has an end that is kept', () => {
    const tail = new OutputTail(8);
    for (const text of ['abc', 'defgh', 'ijkl']) tail.add(Buffer.from(text));
    expect(tail.toString()).toBe('efghijkl');
    tail.add(Buffer.from('0123456789'));
    expect(tail.toString()).toBe('23456789');
  });
});
