import { PassThrough } from 'node:stream';
import { ask } from './ask.js';

async function typed(keys: string, isHidden: boolean): Promise<{ answer: string; screen: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = ask({ question: 'Bot token', isHidden }, input, output);
  input.write(keys);
  const said = await answer;
  return { answer: said, screen: String(output.read()) };
}

describe('A question', () => {
  it('is answered with what was typed', async () => {
    const { answer, screen } = await typed('Support bot\r', false);
    expect(answer).toBe('Support bot');
    expect(screen).toMatch(/Bot token: .*Support bot/s);
  });

  it('still stands there when something that was typed is taken back', async () => {
    const { answer, screen } = await typed('Suppp\u007fort bot\r', false);
    expect(answer).toBe('Support bot');
    expect(screen.split('\u001b[0J').at(-1)).toContain('Bot token: Supp');
  });

  it('for a secret does not show what is typed', async () => {
    const { answer, screen } = await typed('123:secret\r', true);
    expect(answer).toBe('123:secret');
    expect(screen).toBe('Bot token: \n');
  });

  it.each(['\u0003', '\u0004'])('can be left with %j', async (keys) => {
    await expect(typed(keys, true)).rejects.toThrow('Stopped');
  });
});
