import { checkpoint } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

/** Percent-encoded, as they stand in an address. */
const VALUES = [
  ...['%00', 'a%00b', '%0A', '%7F', '%FF', '%ED%A0%80', '%F0%9F%98%80', '%27%20OR%201=1--', '%22', '%5C', '%25', '_'],
  ...['', '.', '-0', '1e400', '99999999999999999999', '[]', '{}', 'null', 'undefined', 'x'.repeat(8000)],
];

const PATHS = [
  '/threads/VALUE',
  '/threads/VALUE/checkpoints',
  '/threads/VALUE/stream',
  '/v1/runners/threads/VALUE/latest',
  ...['trace_id', 'agent_id', 'resume', 'wait'].map((name) => `/v1/runners/threads/known/latest?${name}=VALUE`),
  ...['trace_id', 'agent_id', 'history', 'limit', 'cursor'].map((name) => `/threads/known/checkpoints?${name}=VALUE`),
  ...['q', 'status', 'agent_id', 'model', 'since', 'until', 'sort', 'order', 'limit', 'cursor', 'count', 'include'].map(
    (name) => `/threads?${name}=VALUE`,
  ),
  '/threads?status=VALUE&status=VALUE',
  '/threads?status[]=VALUE',
  '/threads?q[x]=VALUE',
  '/threads?limit=1&limit=VALUE',
  '/v1/tokens/VALUE',
];

beforeAll(() => record(server.api, checkpoint('known', 0)));

describe('Whatever stands in an address', () => {
  it.each(PATHS)('GET %s is an answer or a refusal, never an internal error', async (path) => {
    const surprises: string[] = [];
    for (const value of VALUES) {
      const answer = await server.api.get(path.replaceAll('VALUE', value));
      if (answer.status >= 400 && answer.status < 500) problemOf(answer, answer.status);
      else if (answer.status !== 200) surprises.push(`${value.slice(0, 30)}: ${answer.status}`);
    }
    expect(surprises).toEqual([]);
  });
});
