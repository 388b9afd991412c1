import { existsSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '../common/package-root.js';
import type { Environment } from './env-reader.js';

/** How the person came to this machine over SSH. */
export interface SshSession {
  /** The address that SSH connected to; null if unknown. */
  host: string | null;
  port: string;
}

/** How and from where a person has started this process. */
export interface LaunchContext {
  /** Whether programs can show windows. Assumed on other systems than Linux. */
  hasDisplay: boolean;
  /** Null without SSH. */
  ssh: SshSession | null;
  /** How this person starts the program: in a clone or a project that depends on it, only npx finds it. */
  command: 'waystation' | 'npx waystation';
  /**
   * Starts the program in any folder: its command if the shell finds it everywhere, otherwise Node with the built file, both with full
   * paths. These survive a build, but not a move of the clone.
   */
  commandAnywhere(): string[];
}

/** Where the build puts a clone's command. */
const COMMAND_OF_CLONE = path.join('node_modules', '.bin', 'waystation');
const PROGRAM = path.join('dist', 'cli.js');

/** @param root of the program's package */
export function readLaunchContext(env: Environment, root = PACKAGE_ROOT): LaunchContext {
  const hasDisplay = process.platform !== 'linux' || !!env.DISPLAY || !!env.WAYLAND_DISPLAY;
  const { SSH_CONNECTION: connection, SSH_TTY: terminal } = env;
  const isOfNpx = env.npm_lifecycle_event === 'npx' || existsSync(path.join(root, COMMAND_OF_CLONE));
  const command = isOfNpx ? 'npx waystation' : 'waystation';
  const commandAnywhere = () => (isOfNpx ? [lastingNode(env), path.join(root, PROGRAM)] : ['waystation']);
  if (!connection && !terminal) return { hasDisplay, ssh: null, command, commandAnywhere };
  const [, , host = null, port = '22'] = connection?.split(' ') ?? [];
  return { hasDisplay, ssh: { host, port }, command, commandAnywhere };
}

/**
 * This process's Node, preferably by a name on the PATH, which stays valid after a package manager's upgrade. Ignores names that version
 * managers create for one session.
 */
function lastingNode(env: Environment): string {
  const own = realpathSync(process.execPath);
  const names = (env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, path.basename(process.execPath)));
  return names.find((name) => path.isAbsolute(name) && lasts(name, env) && isSameFile(name, own)) ?? process.execPath;
}

/** Whether a name outlives the session. Below /run only users' folders count as temporary: NixOS keeps its programs there, too. */
function lasts(name: string, { TMPDIR, XDG_RUNTIME_DIR }: Environment): boolean {
  if (name.split(path.sep).includes('fnm_multishells')) return false;
  return [TMPDIR || os.tmpdir(), XDG_RUNTIME_DIR || '/run/user', '/run/user'].every((folder) =>
    isOutside(name, folder),
  );
}

function isOutside(name: string, folder: string): boolean {
  return path.relative(folder, name).split(path.sep)[0] === '..';
}

function isSameFile(name: string, own: string): boolean {
  try {
    return realpathSync(name) === own;
  } catch {
    return false;
  }
}
