import { readInvocation } from './invocation.js';

const STARTED = '{"run_id":"run-1","status":"started"}';

describe('The answer of an agent', () => {
  it.each([200, 201, 202])('of %i with a run_id has started a run', (status) => {
    expect(readInvocation(status, null, STARTED)).toEqual({ kind: 'started', runId: 'run-1', threadId: null });
  });

  it.each([
    '',
    'ok',
    '{}',
    '{"run_id":""}',
    '{"run_id":7}',
    '{"run_id":"a\\u0000b"}',
    `{"run_id":"${'x'.repeat(513)}"}`,
  ])('of 202 without a usable one (%s) is no start, and is not asked for again', (text) => {
    expect(readInvocation(202, null, text)).toMatchObject({ kind: 'refused' });
  });

  it.each([301, 302, 401, 403, 404, 408, 425, 429, 500, 502, 503])('of %i is a reason to try again', (status) => {
    expect(readInvocation(status, '3', STARTED)).toMatchObject({ kind: 'away', retryAfterMs: 3000 });
  });

  it.each([400, 409, 413, 415, 422])('of %i refuses the message for good', (status) => {
    expect(readInvocation(status, null, '')).toMatchObject({ kind: 'refused' });
  });

  it('names the thread where the agent does', () => {
    const text = '{"run_id":"run-1","thread_id":"t-1","status":"started"}';
    expect(readInvocation(202, null, text)).toMatchObject({ runId: 'run-1', threadId: 't-1' });
  });

  it('that refuses says why, in printable words', () => {
    const answer = readInvocation(400, null, JSON.stringify({ detail: 'message: is\u001b missing' }));
    expect(answer).toMatchObject({ status: 400, detail: 'message: is\\u001b missing' });
    expect(readInvocation(400, null, '["no problem"]')).toMatchObject({ detail: null });
  });

  it.each([null, 'soon', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1'])('names no time with Retry-After %s', (header) => {
    expect(readInvocation(503, header, '')).toMatchObject({ retryAfterMs: null });
  });
});
