import { existsSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '../common/package-root.js';
import type { Environment } from './env-reader.js';

/** How the person came to this machine over SSH. */
export interface SshSession {
  /** The address under which SSH reached it; null if it does not say. */
  host: string | null;
  port: string;
}

/** From where, and by which command, a person has started this process. */
export interface LaunchContext {
  /** Whether programs can show windows. Elsewhere than on Linux they can, unless the person came over SSH. */
  hasDisplay: boolean;
  /** Null if they did not. */
  ssh: SshSession | null;
  /** How this person starts the program: in the folder of a clone, or of a project that has it as a package, npx finds it. */
  command: 'waystation' | 'npx waystation';
  /**
   * What starts the program in any folder, without npx: its command where the shell finds that, otherwise Node with the built file, both
   * with their whole paths. A build leaves these paths as they are; a move of the clone does not.
   */
  commandAnywhere(): string[];
}

/** The build puts the command of a clone there. */
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
 * The Node of this process, by a name under which the shell finds it, if any: package managers leave that to the next version. Not by a
 * name that version managers make for one session.
 */
function lastingNode(env: Environment): string {
  const own = realpathSync(process.execPath);
  const names = (env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, path.basename(process.execPath)));
  return names.find((name) => path.isAbsolute(name) && lasts(name, env) && isSameFile(name, own)) ?? process.execPath;
}

/** Whether a name is there in the next session, too. Below /run only the folders of users go: NixOS keeps its programs beside them. */
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
