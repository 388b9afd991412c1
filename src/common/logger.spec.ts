import { DomainError } from './domain-error.js';
import { createLogger, type LoggerOptions } from './logger.js';
import { OutsideError } from './outside-error.js';
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
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d request path=\/threads name="two words"\n$/);
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d ERROR request failed\n/);
    expect(lines[1]).toContain('Error: broken\n    at ');
  });

  it.each([
    ['of the network', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    [
      'that another one wraps',
      new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) }),
    ],
    ['of several addresses', Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' })],
    ['of a lost database', new Error('Connection terminated unexpectedly')],
    ['of a database that stops', Object.assign(new Error('terminating connection'), { code: '57P01' })],
    ['of a domain', new DomainError('unavailable', 'storage_unavailable', 'Not now.')],
    ['of a platform', new OutsideError('the platform refuses connections')],
  ])('says a failure %s in one line, without a stack', (_name, err) => {
    for (const isPretty of [false, true]) {
      const { lines, logger } = capture({ isPretty });
      logger.warn({ err, channel_id: 'c' }, 'polling failed; retrying');
      expect(lines.join('')).not.toMatch(/\bat .*:\d+/);
      expect(lines.join('').trim().split('\n')).toHaveLength(1);
      if (isPretty) expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d WARN {2}polling failed; retrying: \w.* channel_id=c\n$/);
    }
  });

  it('keeps the stack of a bug', () => {
    const { lines, logger } = capture();
    logger.warn({ err: Object.assign(new TypeError('no text'), { code: 'ERR_INVALID_ARG_TYPE' }) }, 'work failed');
    expect(lines[0]).toContain('logger.spec.ts');
  });
});
