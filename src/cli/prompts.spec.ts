import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { ask } from './prompts.js';

async function typed(keys: string, isHidden: boolean): Promise<{ answer: string; screen: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = ask({ question: 'Bot token', isHidden }, { input, output });
  input.write(keys);
  const said = await answer;
  return { answer: said, screen: String(output.read()) };
}

describe('A question', () => {
  it('is answered with what was typed', async () => {
    const { answer, screen } = await typed('Support bot\r', false);
    expect(answer).toBe('Support bot');
    expect(stripVTControlCharacters(screen)).toMatch(/Bot token: .*Support bot/s);
  });

  it('still stands there when something that was typed is taken back', async () => {
    const { answer, screen } = await typed('Suppp\u007fort bot\r', false);
    expect(answer).toBe('Support bot');
    expect(stripVTControlCharacters(screen.split('\u001b[2K').at(-1)!)).toContain('Bot token: Support bot');
  });

  it('for a secret does not show what is typed', async () => {
    const { answer, screen } = await typed('123:secret\r', true);
    expect(answer).toBe('123:secret');
    expect(screen).toContain('Bot token:');
    expect(screen).not.toMatch(/123|secret/);
  });

  it.each(['\u0003', '\u0004', '\u001b'])('can be left with %j', async (keys) => {
    await expect(typed(keys, true)).rejects.toThrow('Stopped');
  });

  it('is left when the input ends', async () => {
    const input = new PassThrough();
    const answer = ask({ question: 'Bot token' }, { input, output: new PassThrough() });
    input.end();
    await expect(answer).rejects.toThrow('Stopped: nothing was typed.');
  });
});
