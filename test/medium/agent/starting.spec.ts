import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '../../../src/common/logger.js';
import { loadAgentConfig } from '../../../src/config/env.js';
import { startAgent } from '../../../src/create-agent.js';
import { parseDefinition } from '../../../src/modules/triggers/definition/definition-reader.js';
import { RunLauncher } from '../../../src/modules/triggers/run-launcher.js';
import { FakeRunLauncher } from '../../fakes/fake-run-launcher.js';
import { freePort } from '../../support/free-port.js';

const FILE = 'agents: { support: { command: [node] } }';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'waystation-starting-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Requests the paths while the process starts, which waits for the responses. */
async function askedWhileStarting(paths: readonly string[]): Promise<{ statuses: number[]; levels: string[] }> {
  const port = await freePort();
  const config = loadAgentConfig({}, { WAYSTATION_AGENT_PORT: String(port), WAYSTATION_HOME: home });
  const definition = parseDefinition(path.join(home, 'agents.yaml'), FILE, { variables: {}, defaultPort: port });
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'debug', isPretty: false, destination });
  const statuses: number[] = [];
  const useFactory = async () => {
    for (const asked of paths) statuses.push((await fetch(`http://127.0.0.1:${port}${asked}`)).status);
    return new FakeRunLauncher();
  };
  const runs = () => ({
    ...new FakeRunLauncher().module,
    providers: [{ provide: RunLauncher, useFactory }],
  });
  const { app } = await startAgent({ config, definition, apiToken: 'unused', logger, runs });
  await app.close();
  const logged = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
  return { statuses, levels: logged.filter(({ msg }) => msg === 'request').map(({ level }) => level) };
}

describe('A request while the agent process starts', () => {
  it('is no warning where it asks for the health, as who waits for the start does; any other is one', async () => {
    const { statuses, levels } = await askedWhileStarting(['/health', '/health/?x=1', '/invoke', '/%']);
    expect(statuses).toEqual([503, 503, 503, 503]);
    expect(levels).toEqual(['debug', 'debug', 'warn', 'warn']);
  });
});
