import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, programPath } from '../../support/agent-runner.js';
import { FatalLink, type FatalRequest } from '../../support/fatal-link.js';
import { freePort } from '../../support/free-port.js';
import { checkpointsOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const AGENTS = {
  steps: { command: ['node', programPath('steps.mjs')], env: { STEPS: '2', PAUSE_MS: '1', ANSWER: 'the end' } },
};

const EVENTS = { method: 'POST', path: /\/events$/ };
const POINTS: [string, Omit<FatalRequest, 'arrives'>][] = [
  ['it claims its lease', { method: 'POST', path: /\/lease$/ }],
  ['it gets a token', { method: 'POST', path: /\/v1\/tokens$/, says: '"run"' }],
  ['its start is reported', { ...EVENTS, says: 'thread_started' }],
  ['it is looked up how the run stands', { method: 'GET', path: /\/latest\?.*trace_id=/ }],
  ['its steps are reported', { ...EVENTS, says: '"checkpoint"' }],
  ['its end is reported', { ...EVENTS, says: 'thread_completed' }],
  ['it gives its lease back', { method: 'DELETE', path: /\/lease\?/ }],
];
const CASES = POINTS.flatMap(([when, request]) =>
  [true, false].map((arrives): [string, FatalRequest] => [
    `${when}, ${arrives ? 'and the server has heard that' : 'which the server never hears'}`,
    { ...request, arrives },
  ]),
);

let agents: AgentRunner;
afterEach(async () => {
  await agents?.stop();
});

describe('A run that was accepted is recorded whole although its process is killed, and finds no server when it starts again', () => {
  it.each(CASES)('when %s', async (_, fatal) => {
    let isKilled = false;
    const link = new FatalLink(await freePort(), server.api.baseUrl, fatal, async () => {
      await agents.kill();
      isKilled = true;
    });
    const state = path.join(server.storage.home, `state-${newThreadId()}`);
    const start = () =>
      AgentRunner.start({
        ...{ storage: server.storage, apiUrl: link.url, agents: AGENTS },
        env: { WAYSTATION_STATE_DIR: state, WAYSTATION_LOG_LEVEL: 'info' },
      });
    await link.open(true);
    agents = await start();
    const threadId = newThreadId();
    await agents.launch('steps', threadId);
    await waitFor('the kill', () => isKilled);
    await link.close();
    agents = await start();
    await waitFor('it to find no server', () => agents.printed.includes('does not answer'));
    await link.open();
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed', runs: 1 });
    await agents.stop();
    await link.close();
    const { history } = (await checkpointsOf(server.api, threadId)).at(-1)!;
    expect(history.map(({ content }) => content)).toEqual(['hello', 'step 0', 'step 1', 'the end']);
    const refused = await readFile(path.join(state, 'refused-events.jsonl'), 'utf8').catch(() => '');
    expect(refused).toBe('');
  });
});
