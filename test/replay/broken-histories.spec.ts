import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkpoint, newThreadId } from '../factories/events.js';
import { claimed, settled } from '../support/effects.js';
import { latestOf, record } from '../support/recording.js';
import { REPLAY_DIR } from '../support/replay-source.js';
import { useServer } from '../support/test-server.js';

/** Histories of other frameworks, and of providers' rules, with what `resume=safe` must make of each, in words. */
interface Broken {
  history: Message[];
  /** The call whose effect is in the ledger. */
  settled_call?: string;
  right: string;
}

type Message = Record<string, unknown>;

interface Resumed {
  history_for_model: Message[];
  repairs: { index: number; kind: string; call_id: string | null }[];
}

const RESULT = { transfer: 'T-1' };
const FILE = path.join(REPLAY_DIR, 'broken-histories-3.jsonl');

/** What the words say, by their beginning. */
const RIGHT: Record<string, (resumed: Resumed, history: Message[]) => void> = {
  'history_for_model equals history': ({ history_for_model, repairs }, history) => {
    expect([history_for_model, repairs]).toEqual([history, []]);
  },
  'one message {"type":"tool"': ({ history_for_model }, history) => {
    const [added, ...more] = history_for_model.slice(history.length);
    expect([history_for_model.slice(0, history.length), more]).toEqual([history, []]);
    expect(added).toMatchObject({ type: 'tool', tool_call_id: 'call_1', content: JSON.stringify(RESULT) });
    expect(added).not.toHaveProperty('role');
  },
  'the part becomes state output-available': ({ history_for_model }) => {
    const part = { type: 'tool-refund', toolCallId: 'call_1', state: 'output-available', output: RESULT };
    expect(history_for_model.at(-1)).toMatchObject({ id: 'm2', parts: [part] });
  },
  'unchanged, repairs says not_understood': ({ history_for_model, repairs }, history) => {
    expect(history_for_model).toEqual(history);
    expect(repairs).toMatchObject([{ kind: 'not_understood' }]);
  },
  'one user message with toolResult': ({ history_for_model }, history) => {
    expect(history_for_model.slice(history.length)).toMatchObject([
      { role: 'user', content: [{ toolResult: { toolUseId: 't1', status: 'error' } }] },
    ]);
  },
  'one message of role tool with a tool-result part': ({ history_for_model }, history) => {
    expect(history_for_model.slice(history.length)).toMatchObject([
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'pay' }] },
    ]);
  },
  'message 1 has no tool_calls': ({ history_for_model, repairs }) => {
    expect(history_for_model[1]).toEqual({ role: 'assistant', content: 'hello' });
    expect(history_for_model.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
    expect(repairs.map(({ index }) => index)).toEqual([1, 3]);
  },
  'message 1 is left out': ({ history_for_model, repairs }) => {
    expect(history_for_model.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool']);
    expect(repairs[0]).toMatchObject({ index: 1 });
  },
  'no empty text block': ({ history_for_model }) => {
    expect(history_for_model[1]!.content).toMatchObject([{ type: 'tool_use', id: 'toolu_1' }]);
    expect(history_for_model[2]!.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'toolu_1' }]);
  },
  'the last message is left out': ({ history_for_model }, history) => {
    expect(history_for_model).toEqual(history.slice(0, -1));
  },
  'call and response are left out, or a user turn stands before them': ({ history_for_model, repairs }, history) => {
    expect(history_for_model[0]).toMatchObject({ role: 'user' });
    expect(history_for_model.slice(1)).toEqual(history);
    expect(repairs).toMatchObject([{ index: 0 }]);
  },
};

const server = useServer();

if (existsSync(FILE)) {
  const all = readFileSync(FILE, 'utf8').trim().split('\n');
  it.each(all.map((line) => JSON.parse(line) as Broken))(
    'A history resumes safely: $right',
    async ({ history, settled_call: call, right }) => {
      const threadId = newThreadId('broken');
      await record(server.api, checkpoint(threadId, 0, { trace_id: 'run-1', agent_id: 'support', history }));
      if (call !== undefined) {
        await claimed(server.api, threadId, { key: call, call_id: call });
        await settled(server.api, threadId, { outcome: 'completed', result: RESULT }, call);
      }
      const resumed = await latestOf(server.api, threadId, { resume: 'safe' });
      const words = Object.keys(RIGHT).find((begin) => right.startsWith(begin));
      if (words === undefined) throw new Error(`No test knows what this means: ${right}`);
      RIGHT[words]!(resumed as unknown as Resumed, history);
    },
  );
} else {
  it('broken histories are not there: NONE WAS RESUMED (set WAYSTATION_REPLAY_DIR)', () => {
    console.warn(`\n  !!! No broken histories in ${REPLAY_DIR}: none was resumed.\n`);
  });
}
