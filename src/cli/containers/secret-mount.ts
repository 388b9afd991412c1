import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../common/make-folder.js';

/** Paths of mounted data in a container. */
export const SECRETS_FOLDER = '/run/waystation-secrets';
export const TOKEN_FILE = `${SECRETS_FOLDER}/token`;

/**
 * Writes a token into a folder that a container can be given. The user of the container, whatever its number, can read what is mounted;
 * other users of this machine cannot get there, because the folder around it is closed to them.
 * @returns the folder around it, to be removed with `removeSecretMount`
 */
export function createSecretMount(home: string, containerName: string, token: string): string {
  const folder = path.join(home, 'containers', `${containerName}-${randomBytes(4).toString('hex')}`);
  makeFolder(folder, 0o700);
  const secrets = secretsFolder(folder);
  mkdirSync(secrets);
  writeFileSync(path.join(secrets, path.basename(TOKEN_FILE)), `${token}\n`, { mode: 0o600 });
  // Restores the permissions that the process mask removed.
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
