import { spawnSync } from 'node:child_process';
import { runCommand, type CommandResult } from '../command.js';
import type { TestServer } from '../test-server.js';
import { makeBaseImage } from './base-image.mjs';

const ENGINES = ['docker', 'podman'];

/** What the tests of containers use. */
export interface ContainerHost {
  /** docker or podman. */
  readonly name: string;
  /** A working image that is not ours. */
  readonly baseImage: string;
  /** Runs the engine itself. */
  engine(...args: string[]): CommandResult;
  /** Runs `waystation` against the server. */
  waystation(args: readonly string[], env?: Record<string, string>): Promise<CommandResult>;
}

/**
 * The tests of a group that needs a container engine. If there is none, they do not run: a notice says so, and it is a failure if
 * `WAYSTATION_REQUIRE_CONTAINERS` is 1.
 */
export function describeWithContainers(name: string, server: TestServer, tests: (host: ContainerHost) => void): void {
  const found = findEngine();
  if ('engine' in found) {
    describe(name, () => tests(hostOn(found.engine, found.baseImage, server)));
    return;
  }
  describe(name, () => {
    it('can only be tested where containers can run', () => {
      if (process.env.WAYSTATION_REQUIRE_CONTAINERS === '1') throw new Error(`No containers here: ${found.reason}`);
      process.stderr.write(`\n!!! NOT TESTED: "${name}". No containers can run here: ${found.reason}\n\n`);
    });
  });
}

function findEngine(): { engine: string; baseImage: string } | { reason: string } {
  const reasons: string[] = [];
  for (const engine of ENGINES) {
    try {
      must(engine, ['ps', '--quiet']);
      const baseImage = makeBaseImage(engine);
      must(engine, ['run', '--rm', '--pull', 'never', baseImage, 'node', '--version']);
      return { engine, baseImage };
    } catch (error) {
      reasons.push(`${engine}: ${(error as Error).message.trim()}`);
    }
  }
  return { reason: reasons.join('; ') };
}

function must(engine: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(engine, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(error?.message ?? stderr);
}

function hostOn(engine: string, baseImage: string, server: TestServer): ContainerHost {
  return {
    name: engine,
    baseImage,
    engine(...args) {
      const { status, stdout, stderr } = spawnSync(engine, args, { encoding: 'utf8' });
      return { code: status, stdout, stderr };
    },
    // The engine's output passes through the process that runs the command.
    waystation: (args, env = {}) => {
      const own = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_BASE_IMAGE: baseImage, ...env };
      return runCommand(server.storage, args, own, { isAlone: true });
    },
  };
}
