import { launchContext } from '../../config/env.js';
import type { ApiClient } from '../api-client.js';
import { RefusalError } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { volumeOf, type AgentContainer } from './agent-containers.js';
import { removeSecretMount } from './secret-mount.js';
import { StopProgress } from './stop-progress.js';

export interface StopOptions {
  home: string;
  /** Called only if there is a token to revoke. */
  api: () => ApiClient;
  terminal: Terminal;
  /** Whether to remove the process's stored state, too. */
  isStateRemoved?: boolean;
}

/**
 * Lets the agents finish, removes the container, revokes its token. The process's stored state stays for the next start unless
 * `isStateRemoved`. A second Ctrl+C ends the agents at once, and everything is still removed.
 * @throws CliError when the engine cannot stop it
 */
export async function stopContainer(container: AgentContainer, options: StopOptions): Promise<void> {
  const { engine, name } = container;
  const wait = new StopProgress(container, options.terminal);
  try {
    await engine.output(['stop', name], { ignoresInterrupt: true });
    wait.end();
    await removeContainer(container, options);
    if (options.isStateRemoved)
      await engine.output(['volume', 'rm', '--force', volumeOf(name)], { ignoresInterrupt: true });
  } finally {
    wait.close();
  }
}

/** The same without waiting for the agents. */
export async function removeContainer(
  { engine, name, tokenId, secretMount }: Pick<AgentContainer, 'engine' | 'name' | 'tokenId' | 'secretMount'>,
  { home, api, terminal }: StopOptions,
): Promise<void> {
  await engine.output(['rm', '--force', name], { ignoresInterrupt: true });
  removeSecretMount(home, secretMount);
  if (tokenId !== null) await revoke(tokenId, api, terminal);
}

/** A token that could not be revoked causes a warning, not a failure. */
export async function revoke(tokenId: string, api: () => ApiClient, terminal: Terminal): Promise<void> {
  try {
    await api().send('DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`);
  } catch (error) {
    if (error instanceof RefusalError && error.status === 404) return;
    const reason = error instanceof Error ? error.message : String(error);
    const command = `${launchContext().command} token revoke ${tokenId}`;
    terminal.printError(`Its token could not be revoked: ${reason} Do it later with: ${command}`);
  }
}
