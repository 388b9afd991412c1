import { readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { shellWord } from '../../../common/shell-word.js';
import { REFUSED_EVENTS_FILE } from '../../../common/refused-events.js';
import { readApiSecret } from '../../../config/api-secret.js';
import type { AppConfig } from '../../../config/app-config.js';
import { ConfigError } from '../../../config/config-error.js';
import { fault, fine, warning, type Finding } from './finding.js';

const LEAST_NODE = [20, 19] as const;
const MEBIBYTE = 1024 ** 2;
/** SQLite's log alone may take 64 MiB. */
const LEAST_FREE_BYTES = 200 * MEBIBYTE;
const LITTLE_FREE_BYTES = 2048 * MEBIBYTE;

export async function checkMachine(config: AppConfig): Promise<Finding[]> {
  const { server, database } = config;
  const folders = database.url === null ? [server.home, path.dirname(database.sqlitePath)] : [server.home];
  const findings = [checkNode(process.versions.node)];
  for (const folder of new Set(folders)) findings.push(await checkFolder(folder));
  findings.push(checkSecret(config));
  if (database.url === null) findings.push(await checkSpace(path.dirname(database.sqlitePath)));
  findings.push(...(await findRefusedEvents(path.join(server.home, 'agents'))));
  return findings;
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  if (isNewEnough) return fine('node', `Node.js ${version}`);
  return fault('node', `Node.js ${version} is too old.`, `Install Node.js ${LEAST_NODE.join('.')} or later.`);
}

async function checkFolder(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => null);
  if (found === null) return fine('folder', `${folder} does not exist yet; the server creates it.`);
  if (!found.isDirectory()) return fault('folder', `${folder} is not a folder.`, 'Move it out of the way.');
  // Windows has no such bits; the user's profile folder is protected there.
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return fine('folder', `${folder} is private.`);
  return warning(
    'folder',
    `Other users can look into ${folder}, where messages are stored.`,
    `chmod 700 ${shellWord(folder)}`,
  );
}

function checkSecret(config: AppConfig): Finding {
  try {
    return fine('secret', `The machine secret is in ${readApiSecret(config).file}, readable for its owner only.`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const rule = error.faults.map((found) => found.rule).join('; ');
    if (rule.includes('does not exist') && config.security.secretFile === null) return fine('secret', `${rule}.`);
    return fault('secret', `${rule}.`, 'The server does not start until you fix this.');
  }
}

async function checkSpace(folder: string): Promise<Finding> {
  const found = await statfs(folder).catch(() => null);
  if (found === null) return fine('disk', `${folder} does not exist yet.`);
  const free = found.bavail * found.bsize;
  const message = `${(free / 1e9).toFixed(1)} GB are free for ${folder}.`;
  if (free < LEAST_FREE_BYTES) return fault('disk', message, 'Free space now: reports will be refused with 507.');
  if (free < LITTLE_FREE_BYTES) return warning('disk', message, 'Free space, or set WAYSTATION_RETENTION_DAYS.');
  return fine('disk', message);
}

/** Of the agent processes with their state in this home, one folder each. */
async function findRefusedEvents(states: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of await readdir(states).catch(() => [])) {
    const file = path.join(states, name, REFUSED_EVENTS_FILE);
    const found = await stat(file).catch(() => null);
    if (!found?.size) continue;
    const message = `The API has permanently refused events of an agent, last at ${found.mtime.toISOString()}: ${file}`;
    findings.push(warning('refused-events', message, 'Read "code" and "detail" of its lines, then remove the file.'));
  }
  return findings;
}
