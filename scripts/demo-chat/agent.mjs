import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { runnerToken } from '../demo/agent-service.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `waystation agent` with the example agents, on free ports, with a temporary state. */
export async function startAgent(server) {
  const state = mkdtempSync(path.join(os.tmpdir(), 'waystation-agent-'));
  const settings = {
    ...{ WAYSTATION_API_URL: server.url, WAYSTATION_TOKEN: await runnerToken(server, ['refund', 'research']) },
    ...{ WAYSTATION_TOKEN_FILE: '', WAYSTATION_AGENT_PORT: '0' },
    ...{ WAYSTATION_STATE_DIR: state, WAYSTATION_AGENT_URL: '', WAYSTATION_LOG_LEVEL: 'error' },
  };
  const file = path.join(ROOT, 'examples/agents/agents.yaml');
  const agent = spawn(process.execPath, [path.join(ROOT, 'dist/cli.js'), 'agent', file], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C only reaches the demonstration, which then stops it
  });
  process.on('exit', () => {
    if (agent.exitCode === null) agent.kill('SIGKILL');
    rmSync(state, { recursive: true, force: true });
  });
  await once(createInterface({ input: agent.stdout }), 'line');
  agent.stdout.resume();
  return {
    async stop() {
      if (agent.exitCode !== null) return;
      agent.kill('SIGTERM');
      await once(agent, 'exit');
    },
  };
}
