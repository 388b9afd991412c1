import { createLogger, type LoggerOptions } from './logger.js';
import { requestContext } from './request-context.js';

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, logger: createLogger({ level: 'info', isPretty: false, ...options, destination }) };
}

describe('The log', () => {
  it('is one JSON object a line, with level, time, event and facts', () => {
    const { lines, logger } = capture();
    logger.warn({ thread_id: 't' }, 'budget warning');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      thread_id: 't',
      msg: 'budget warning',
    });
  });

  it('says which request a line belongs to', async () => {
    const { lines, logger } = capture();
    await requestContext.run({ requestId: 'r-1' }, async () => {
      await Promise.resolve();
      logger.info('inside');
    });
    logger.info('outside');
    expect(lines.map((line) => (JSON.parse(line) as { request_id?: string }).request_id)).toEqual(['r-1', undefined]);
  });

  it('leaves out what is below its level', () => {
    const { lines, logger } = capture({ level: 'silent' });
    logger.error('nobody hears it');
    expect(lines).toEqual([]);
  });

  it('has nothing in it that a terminal would obey, when it is written for people', () => {
    const { lines, logger } = capture({ isPretty: true });
    logger.warn({ type: '\u001b[2J', agent: 'a\u009b2J \u202e' }, 'event dropped');
    expect(lines[0]).toMatch(/event dropped type=\\u001b\[2J agent="a\\u009b2J \\u202e"\n$/);
  });

  it('can be written for people', () => {
    const { lines, logger } = capture({ isPretty: true });
    logger.info({ path: '/threads', name: 'two words' }, 'request');
    logger.error({ err: new Error('broken') }, 'request failed');
    expect(lines[0]).toMatch(/^[\d:.]{12} INFO {2}request path=\/threads name="two words"\n$/);
    expect(lines[1]).toContain('Error: broken\n    at ');
  });
});
