import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fine, warning, type Finding } from './finding.js';

const TOOLS = ['pg_dump', 'pg_restore'];
const PATIENCE_MS = 5_000;
const run = promisify(execFile);

/**
 * Whether this machine can back up the database: pg_dump refuses a newer server.
 * @param serverMajor the server's major version
 */
export async function checkPostgresTools(serverMajor: number): Promise<Finding> {
  const faults: string[] = [];
  for (const tool of TOOLS) {
    const major = await majorOf(tool);
    if (major === null) faults.push(`${tool} is not installed here`);
    else if (major < serverMajor) faults.push(`${tool} ${major} is older than the server`);
  }
  if (faults.length === 0) return fine('backup-tools', 'pg_dump and pg_restore fit the server.');
  const remedy = `Back up from a machine with PostgreSQL's client tools, version ${serverMajor} or later.`;
  return warning('backup-tools', `${faults.join(', ')}.`, remedy);
}

/** "pg_dump (PostgreSQL) 18.1"; null if it does not run. */
async function majorOf(tool: string): Promise<number | null> {
  try {
    const { stdout } = await run(tool, ['--version'], { timeout: PATIENCE_MS });
    const major = /\) (\d+)/.exec(stdout)?.[1];
    return major === undefined ? null : Number(major);
  } catch {
    return null;
  }
}
