import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../support/free-port.js';
import type { TestServer } from '../../support/test-server.js';

const PROGRAMS = path.join(import.meta.dirname, 'programs');

/** A user's folder: definition files beside the programs. */
export class AgentFolder {
  private constructor(readonly folder: string) {}

  /** @param name used for the containers and volumes of its agents */
  static async make(server: TestServer, name = 'shop'): Promise<AgentFolder> {
    const folder = path.join(server.storage.home, name);
    await cp(PROGRAMS, folder, { recursive: true });
    return new AgentFolder(folder);
  }

  /** Writes a definition file. @returns its path */
  async write(name: string, definition: object): Promise<string> {
    const file = path.join(this.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(definition));
    return file;
  }
}

/** Two agents on two ports of the container. */
export const TWO_PORTS = {
  agents: {
    ask: { command: ['node', 'ask.mjs'], env: { OTHER_THREAD: 'secret', GREETING: '${SHOP_GREETING}' } },
    slow: { command: ['python3', 'slow.py'] },
  },
  triggers: [
    { type: 'webhook', endpoint: '/ask' },
    { type: 'webhook', endpoint: '/slow', target_agent: 'slow', port: 9200 },
  ],
};

/** Ports of this machine mapped to those two. */
export interface HostPorts {
  ask: number;
  slow: number;
  flags: string[];
}

export async function freeHostPorts(): Promise<HostPorts> {
  const [ask, slow] = [await freePort(), await freePort()];
  return { ask, slow, flags: ['--host-port', `9100=${ask}`, '--host-port', `9200=${slow}`] };
}
