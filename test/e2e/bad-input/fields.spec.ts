import { FIELDS } from '../../factories/bad-values.js';
import { checkpoint, conversation, newThreadId } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, EVENTS, latestOf } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

interface Rejected {
  index: number;
  type: string;
  code: string;
  detail: string;
}

/** An event with one invalid field, as JSON text; the other fields are valid. */
function spoiled(type: string, threadId: string, name: string, value: string): string {
  const rest = Object.entries({ thread_id: `"${threadId}"`, trace_id: '"run-1"', agent_id: '"support"' });
  const members = rest.filter(([key]) => key !== name).map(([key, text]) => `"${key}":${text}`);
  return `{"type":"${type}","data":{${[...members, `"${name}":${value}`].join(',')}}}`;
}

describe.each(Object.entries(FIELDS))('Bad values in %s', (type, fields) => {
  it.each(fields.map((field) => [field.name, field.bad] as const))(
    '%s: each is rejected by name, the good events between them are stored',
    async (name, bad) => {
      const threadId = newThreadId();
      const texts = bad.flatMap((value, step) => [
        JSON.stringify(checkpoint(threadId, step, { history: [step] })),
        spoiled(type, threadId, name, value),
      ]);
      const answer = await server.api.post(EVENTS, `{"events":[${texts.join(',')}]}`);
      const { saved, rejected } = answer.json<{ saved: number; rejected: Rejected[] }>();
      expect([answer.status, saved]).toEqual([207, bad.length]);
      expect(rejected.map(({ index, type: of, detail }) => [index, of, detail.includes(name)])).toEqual(
        bad.map((_, step) => [2 * step + 1, type, true]),
      );
      const rows = await checkpointsOf(server.api, threadId);
      expect(rows.map((row) => row.history)).toEqual(bad.map((_, step) => [step]));
    },
  );

  it('alone are a 400 that names the field', async () => {
    for (const { name, bad } of fields) {
      const body = `{"events":[${spoiled(type, newThreadId(), name, bad[0] ?? '7')}]}`;
      const problem = problemOf(await server.api.post(EVENTS, body), 400);
      expect(JSON.stringify(problem)).toContain(name);
    }
  });

  it('are not null, not absence and no empty id: these mean the default, but for thread_id', async () => {
    const empty = fields.filter(({ name }) => name.endsWith('_id')).map(({ name }) => [name, '""'] as const);
    for (const [name, value] of [...fields.map(({ name }) => [name, 'null'] as const), ...empty]) {
      const threadId = newThreadId();
      const answer = await server.api.post(EVENTS, `{"events":[${spoiled(type, threadId, name, value)}]}`);
      expect([name, answer.status]).toEqual([name, name === 'thread_id' ? 400 : 200]);
      if (name !== 'thread_id') expect(await latestOf(server.api, threadId)).toMatchObject({ thread_id: threadId });
    }
    const bare = `{"events":[{"type":"${type}","data":{"trace_id":"run-1"}}]}`;
    expect(JSON.stringify(problemOf(await server.api.post(EVENTS, bare), 400))).toContain('thread_id');
  });
});

describe('Bad values around the data', () => {
  it.each([
    ['id', '7'],
    ['id', '{}'],
    ['sequence_num', '"first"'],
    ['sequence_num', '1.5'],
    ['occurred_at', '"yesterday"'],
    ['occurred_at', '"2026-02-30T00:00:00Z"'],
    ['occurred_at', '[]'],
    ['occurred_at', '-1'],
    ['occurred_at', '1e14'],
    ['occurred_at', '"1767225600"'],
    ['occurred_at', '""'],
    ['type', '7'],
    ['type', '""'],
  ])('%s = %s is rejected by name', async (name, value) => {
    const threadId = newThreadId();
    const bad = `{"type":"checkpoint","data":{"thread_id":"${threadId}"},"${name}":${value}}`;
    const good = JSON.stringify(checkpoint(threadId, 0));
    const answer = await server.api.post(EVENTS, `{"events":[${bad},${good}]}`);
    expect(answer.status).toBe(207);
    expect(answer.json()).toMatchObject({ saved: 1, rejected: [{ index: 0, detail: expect.stringContaining(name) }] });
    expect((await latestOf(server.api, threadId)).history).toEqual(conversation(2));
  });

  it.each([
    ['status', '"a\\u0000b"'],
    ['model', '"a\\u0000b"'],
    ['our_own', '"a\\u0000b"'],
    ['status', '"\\ud800"'],
    ['model', '"\\ud800"'],
    ['our_own', '"\\ud800"'],
    ['status', '""'],
    ['model', '""'],
    ['error', '{"code":"\\u0000"}'],
  ])('%s = %s is stored as it is or rejected by name', async (name, value) => {
    for (const type of [...Object.keys(FIELDS), 'anything']) {
      const threadId = newThreadId();
      const texts = [spoiled(type, threadId, name, value), JSON.stringify(checkpoint(threadId, 7))];
      const answer = await server.api.post(EVENTS, `{"events":[${texts.join(',')}]}`);
      expect([200, 207]).toContain(answer.status);
      if (answer.status === 207) {
        expect(answer.json()).toMatchObject({ rejected: [{ index: 0, detail: expect.stringContaining(name) }] });
      }
      expect((await checkpointsOf(server.api, threadId)).at(-1)?.step_index).toBe(7);
    }
  });
});
