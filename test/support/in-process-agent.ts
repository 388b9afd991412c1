import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgentConfig } from '../../src/config/env.js';
import { startAgent, type RunningAgent } from '../../src/create-agent.js';
import { parseDefinition } from '../../src/modules/triggers/definition/definition-reader.js';
import { OwnAgents, InvokeToken } from '../../src/modules/triggers/heartbeat/own-agents.js';
import { FakeRunLauncher } from '../fakes/fake-run-launcher.js';
import { ApiClient } from './api-client.js';

/** An agent process inside the test; a fake accepts its runs. Real HTTP, real state. */
export class InProcessAgent {
  private readonly clients = new Map<number, ApiClient>();

  private constructor(
    readonly launcher: FakeRunLauncher,
    private readonly agent: RunningAgent,
    private readonly home: string,
  ) {}

  /** @param text the definition file; webhooks without a port get any free one */
  static async start(text: string, env: Record<string, string> = {}): Promise<InProcessAgent> {
    const home = await mkdtemp(path.join(tmpdir(), 'waystation-agent-'));
    const settings = { WAYSTATION_AGENT_PORT: '0', WAYSTATION_LOG_LEVEL: 'silent', WAYSTATION_HOME: home, ...env };
    const config = loadAgentConfig({}, settings);
    const definition = parseDefinition(path.join(home, 'agents.yaml'), text, { variables: env, defaultPort: 0 });
    const launcher = new FakeRunLauncher();
    const agent = await startAgent({ config, definition, apiToken: 'unused', runs: () => launcher.module });
    return new InProcessAgent(launcher, agent, home);
  }

  get invokeToken(): string {
    return this.agent.app.get(InvokeToken, { strict: false }).value;
  }

  endpointOf(agentName: string): string | null {
    return this.agent.app.get(OwnAgents, { strict: false }).endpointOf(agentName);
  }

  /** A client for the listener on a port of the file, by default the default port. */
  api(port = 0): ApiClient {
    const known = this.clients.get(port);
    if (known) return known;
    const client = new ApiClient(`http://127.0.0.1:${this.agent.ports.actualFor(port)}`, '');
    this.clients.set(port, client);
    return client;
  }

  async stop(): Promise<void> {
    for (const client of this.clients.values()) client.close();
    await this.agent.app.close();
    await rm(this.home, { recursive: true, force: true });
  }
}
