import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../common/make-folder.js';

/** Paths of mounted secrets in a container. */
export const SECRETS_FOLDER = '/run/waystation-secrets';
export const TOKEN_FILE = `${SECRETS_FOLDER}/token`;

/**
 * Writes a token into a folder to be mounted. The container's user can read it, whatever its number; other users of this machine
 * cannot, because the enclosing folder is closed to them.
 * @returns the enclosing folder, to be removed with `removeSecretMount`
 */
export function createSecretMount(home: string, containerName: string, token: string): string {
  const folder = path.join(home, 'containers', `${containerName}-${randomBytes(4).toString('hex')}`);
  makeFolder(folder, 0o700);
  const secrets = secretsFolder(folder);
  mkdirSync(secrets);
  writeFileSync(path.join(secrets, path.basename(TOKEN_FILE)), `${token}\n`, { mode: 0o600 });
  // Restores the permissions that the umask removed.
  chmodSync(path.join(secrets, path.basename(TOKEN_FILE)), 0o644);
  chmodSync(secrets, 0o755);
  return folder;
}

/** The folder to mount at `SECRETS_FOLDER`. */
export function secretsFolder(secretMount: string): string {
  return path.join(secretMount, 'secrets');
}

/** Ignores folders that `createSecretMount` did not create. */
export function removeSecretMount(home: string, secretMount: string): void {
  const isOurs = path.dirname(path.resolve(secretMount)) === path.join(home, 'containers');
  if (isOurs) rmSync(secretMount, { recursive: true, force: true });
}
