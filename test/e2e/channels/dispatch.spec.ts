import type { RunScript } from '../../fakes/fake-agent.js';
import { cancel } from '../../support/cancel.js';
import { freePort } from '../../support/free-port.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ECHO: RunScript = (run, agent) => agent.answer(run, `You said: ${run.message}`);

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;
let person = 100;

beforeAll(async () => {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: world.env });
  await world.connect(server.api);
});
beforeEach(() => {
  person += 1;
  world.agent.script = ECHO;
});
afterAll(async () => {
  const code = await server?.stop();
  await world?.close();
  await storage?.dispose();
  expect(code).toBe(0);
});

const answered = (count: number) => waitFor('the answers', () => world.sentTo(person).length >= count);
const runsOf = (user: number) => world.agent.runs.filter(({ context }) => context.user_id === String(user));

describe('A message in a chat', () => {
  it('reaches the agent, and its answer the chat', async () => {
    world.telegram.write(person, 'Where is my parcel?');
    await answered(1);
    expect(world.sentTo(person)).toEqual(['You said: Where is my parcel?']);
    const [run] = runsOf(person);
    expect(run!.context).toEqual({
      channel_id: world.channelId,
      channel_type: 'telegram',
      chat_id: String(person),
      user_id: String(person),
      user_name: `User ${person}`,
      message_id: expect.any(String),
      attachments: [],
      message_ids: [run!.context.message_id],
      sent_at: expect.stringMatching(/^\d{4}-.*Z$/),
      reply_to: null,
      forwarded: [],
      button: null,
      late_for: null,
    });
    const log = await world.log(server.api);
    expect(log.find(({ direction, run_id }) => direction === 'in' && run_id === run!.runId)).toMatchObject({
      status: 'done',
      reason: null,
    });
  });

  it('waits until the run of the one before it has ended', async () => {
    const ends: (() => void)[] = [];
    world.agent.script = async (run, agent) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      await agent.answer(run, run.message);
    };
    for (const text of ['one', 'two', 'three']) world.telegram.write(person, text);
    for (const count of [1, 2, 3]) {
      await waitFor('the next run', () => ends.length === count);
      expect(runsOf(person)).toHaveLength(count);
      ends[count - 1]!();
      await answered(count);
    }
    expect(world.sentTo(person)).toEqual(['one', 'two', 'three']);
  });

  it('does not wait for other chats', async () => {
    const slow = person;
    const quick = (person += 1);
    let end = (): void => undefined;
    world.agent.script = async (run, agent) => {
      if (run.context.user_id === String(slow)) await new Promise<void>((resolve) => (end = resolve));
      await agent.answer(run, run.message);
    };
    world.telegram.write(slow, 'a hard question');
    await waitFor('the slow run', () => runsOf(slow).length === 1);
    world.telegram.write(quick, 'an easy one');
    await waitFor('the quick answer', () => world.sentTo(quick).length === 1);
    expect(world.sentTo(slow)).toEqual([]);
    end();
    await waitFor('the slow answer', () => world.sentTo(slow).length === 1);
  });

  it('is answered also when the run ends before its invocation was', async () => {
    world.agent.script = ECHO;
    world.agent.mishaps.push('break');
    world.telegram.write(person, 'hello');
    await answered(1);
    expect(runsOf(person)).toHaveLength(1);
    expect(world.sentTo(person).at(-1)).toBe('You said: hello');
    const [first, second] = world.agent.calls.slice(-2);
    expect(first!.runId).toMatch(/^[\da-f]{8}-/);
    expect(second).toEqual(first);
  });

  it('is told once that its agent is away, and tried again at its heartbeat', async () => {
    const port = await freePort();
    await world.agent.beat(port);
    world.telegram.write(person, 'anybody there?');
    await answered(1);
    expect(world.sentTo(person)[0]).toMatch(/not reachable at the moment/);
    const { calls } = world.agent;
    const before = calls.length;
    await world.agent.beat();
    await waitFor('the answer', () => world.sentTo(person).length === 2);
    expect(world.sentTo(person)[1]).toBe('You said: anybody there?');
    expect(calls.length - before).toBe(1);
  });

  it('that the agent does not take is not tried again, and its person is told', async () => {
    world.agent.mishaps.push(422);
    const before = world.agent.calls.length;
    world.telegram.write(person, 'hello');
    await answered(1);
    expect(world.sentTo(person)).toEqual(['The agent did not accept your message.']);
    expect(world.agent.calls.length - before).toBe(1);
  });

  it.each([429, 503, 401, 302])('is tried again after %i, without a word about it', async (status) => {
    world.agent.mishaps.push(status);
    world.telegram.write(person, 'hello');
    await answered(1);
    expect(world.sentTo(person)).toEqual(['You said: hello']);
    expect(runsOf(person)).toHaveLength(1);
  });

  it.each([
    ['at work', false],
    ["waiting in its agent's process", true],
  ])(
    'whose run is cancelled while %s is told so in one line, and the next message has its turn',
    async (_, isQueued) => {
      const begun: { runId: string; threadId: string }[] = [];
      world.agent.script = async (run, agent) => {
        if (run.message === 'next') return ECHO(run, agent);
        const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
        const queued_at = '2026-11-20T09:30:00.250Z';
        if (isQueued) await agent.beat(agent.port, { process_id: 'process', queued_runs: [{ ...ids, queued_at }] });
        else await agent.report({ type: 'thread_started', data: ids });
        begun.push(run);
      };
      for (const text of ['hello', 'next']) world.telegram.write(person, text);
      await waitFor('the run', () => begun.length === 1);
      expect((await cancel(server.api, begun[0]!.threadId, begun[0]!.runId)).status).toBe(200);
      await answered(2);
      expect(world.sentTo(person)).toEqual(['The run was cancelled, so there is no answer.', 'You said: next']);
    },
  );

  it.each([
    ['thread_error', 'Sorry, the agent ended with an error.'],
    ['thread_budget_exceeded', 'The agent stopped because it has used up its budget.'],
    ['thread_completed', 'The agent finished without an answer.'],
  ])('whose run ends with %s and no word gets an honest sentence', async (type, text) => {
    world.agent.script = ({ runId: trace_id, threadId: thread_id }, agent) =>
      agent.report(
        { type: 'thread_started', data: { thread_id, trace_id, agent_id: agent.name } },
        { type, data: { thread_id, trace_id, error: 'secret inner words' } },
      );
    world.telegram.write(person, 'hello');
    await answered(1);
    expect(world.sentTo(person)).toEqual([text]);
  });

  it('gets the answer of its own turn from an agent that uses one run for all of them', async () => {
    let turn = 0;
    const history: object[] = [];
    world.agent.script = async ({ threadId: thread_id, message }, agent) => {
      const ids = { thread_id, trace_id: `steady-${thread_id}`, agent_id: agent.name };
      history.push({ role: 'user', content: message }, { role: 'assistant', content: `turn ${turn}` });
      const data = { ...ids, step_index: turn++, history: [...history], status: 'in_progress' };
      await agent.report({ type: 'checkpoint', data }, { type: 'thread_idle', data: ids });
    };
    world.agent.runIdFor = ({ threadId }) => `steady-${threadId}`;
    try {
      for (const count of [1, 2, 3]) {
        world.telegram.write(person, `message ${count}`);
        await answered(count);
      }
      expect(world.sentTo(person)).toEqual(['turn 0', 'turn 1', 'turn 2']);
    } finally {
      world.agent.runIdFor = null;
    }
  });

  it('whose thread is deleted does not hold up the next', async () => {
    let threadId = '';
    world.agent.script = async (run, agent) => {
      if (run.message !== 'first') return agent.answer(run, run.message);
      threadId = run.threadId;
      const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
      await agent.report({ type: 'thread_started', data: ids });
    };
    world.telegram.write(person, 'first');
    await waitFor('the thread', async () => {
      const path = `/threads/${encodeURIComponent(threadId)}`;
      return threadId !== '' && (await server.api.delete(path)).status === 204;
    });
    world.telegram.write(person, 'second');
    await answered(2);
    expect(world.sentTo(person)).toEqual([expect.stringMatching(/conversation was deleted/), 'second']);
  });

  it('whose thread is deleted before its agent says that it has begun does not hold up the next', async () => {
    world.agent.script = (run, agent) => (run.message === 'first' ? undefined : agent.answer(run, run.message));
    world.agent.beforeReply = async ({ message, threadId, runId }, agent) => {
      if (message !== 'first') return;
      const ids = { thread_id: threadId, trace_id: runId, agent_id: agent.name };
      await agent.report({ type: 'thread_started', data: ids });
      expect((await server.api.delete(`/threads/${encodeURIComponent(threadId)}`)).status).toBe(204);
    };
    world.telegram.write(person, 'first');
    await answered(1);
    world.agent.beforeReply = null;
    world.telegram.write(person, 'second');
    await answered(2);
    expect(world.sentTo(person)).toEqual([expect.stringMatching(/conversation was deleted/), 'second']);
  });

  it('whose run goes on after its thread was deleted, before it was known that it had begun, is answered', async () => {
    let isFirst = true;
    world.agent.script = () => undefined;
    world.agent.beforeReply = async (run, agent) => {
      if (!isFirst) return;
      isFirst = false;
      await agent.report({
        type: 'thread_started',
        data: { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name },
      });
      expect((await server.api.delete(`/threads/${encodeURIComponent(run.threadId)}`)).status).toBe(204);
      await agent.answer(run, 'late');
    };
    world.agent.mishaps.push('break');
    world.telegram.write(person, 'first');
    await answered(1);
    world.agent.beforeReply = null;
    expect(world.sentTo(person)).toEqual(['late']);
    expect(runsOf(person)).toHaveLength(1);
  });

  it('that waits for its agent while its thread is deleted gets its answer in a new one', async () => {
    world.telegram.write(person, 'one');
    await answered(1);
    const { threadId } = runsOf(person)[0]!;
    world.agent.mishaps.push(503);
    world.telegram.write(person, 'two');
    await waitFor('a try', () => world.agent.calls.some(({ message }) => message === 'two'));
    await waitFor('its end', async () =>
      (await world.log(server.api)).some(({ text, reason }) => text === 'two' && reason),
    );
    expect((await server.api.delete(`/threads/${encodeURIComponent(threadId)}`)).status).toBe(204);
    await answered(2);
    expect(world.sentTo(person)).toEqual(['You said: one', 'You said: two']);
  });

  it('shows that the agent is at work', async () => {
    world.agent.script = async (run, agent) => {
      await waitFor('typing', () => world.telegram.typing.includes(String(person)));
      await agent.answer(run, 'done');
    };
    world.telegram.write(person, 'hello');
    await answered(1);
  });
});
