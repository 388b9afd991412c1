import { readBatchResponse } from './batch-response.js';

const rejected = [{ index: 1, type: 'checkpoint', code: 'invalid_event', detail: 'data.status: expected a string' }];

describe('The answer to a batch', () => {
  it('of 200 takes everything', () => {
    expect(readBatchResponse(200, '{"saved":2,"rejected":[]}', null)).toEqual({
      kind: 'taken',
      rejected: [],
      cancelled: [],
    });
  });

  it.each([207, 400])('of %i names the events that were refused for good', (status) => {
    const text = JSON.stringify({ saved: 1, code: 'no_event_saved', rejected });
    const { index, code, detail } = rejected[0]!;
    expect(readBatchResponse(status, text, null)).toEqual({
      kind: 'taken',
      rejected: [{ index, code, detail }],
      cancelled: [],
    });
  });

  it('names the runs that were cancelled, and ignores actions that it does not know', () => {
    const control = [
      { thread_id: 't', trace_id: 'r', action: 'cancel' },
      { thread_id: 't', trace_id: 'r', action: 'dance' },
      7,
      null,
    ];
    const text = JSON.stringify({ saved: 1, rejected: [], control });
    expect(readBatchResponse(200, text, null)).toMatchObject({ cancelled: [{ thread_id: 't', trace_id: 'r' }] });
  });

  it.each([400, 413])('of %i without names is about the batch as a whole', (status) => {
    const verdict = readBatchResponse(status, '{"code":"too_large","detail":"too much"}', null);
    expect(verdict).toEqual({ kind: 'refused', code: 'too_large', detail: 'too much' });
  });

  it.each([401, 403, 404, 408, 429, 500, 502, 503, 507])('of %i is a reason to try again', (status) => {
    expect(readBatchResponse(status, '{"code":"x","detail":"why"}', null)).toMatchObject({ kind: 'retry' });
  });

  it.each([
    [400, '<html>Bad Request</html>'],
    [200, 'not the API'],
    [200, '{}'],
  ])('of %i that the API did not give (%s) condemns nothing', (status, text) => {
    expect(readBatchResponse(status, text, null)).toMatchObject({ kind: 'retry' });
  });

  it.each(['', '<html>413 Request Entity Too Large</html>', '{"error":"too large"}'])(
    'of 413 is about the size, whoever gave it (%s)',
    (text) => {
      expect(readBatchResponse(413, text, null)).toMatchObject({ kind: 'refused', code: 'too_large_for_proxy' });
    },
  );

  it('says how long to wait', () => {
    expect(readBatchResponse(503, '{}', '3')).toMatchObject({ retryAfterMs: 3000 });
    expect(readBatchResponse(503, '{}', 'Wed, 21 Oct 2026 07:28:00 GMT')).toMatchObject({ retryAfterMs: null });
  });
});
