import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const sqlite3 = path.join(path.dirname(import.meta.dirname), 'node_modules', 'sqlite3');

/**
 * Puts SQLite's native code into a folder, under the name that SQLite's installation looks for. .prebuild-installrc tells it where.
 * Installing on the same platform then needs neither GitHub nor a compiler.
 * @throws {Error} when it could not be packed
 */
export function packSqlite(folder) {
  const { version, binary } = JSON.parse(readFileSync(path.join(sqlite3, 'package.json'), 'utf8'));
  const napi = Math.max(...binary.napi_versions.filter((one) => one <= Number(process.versions.napi)));
  const file = `sqlite3-v${version}-napi-v${napi}-${process.platform}${libc()}-${process.arch}.tar.gz`;
  mkdirSync(folder, { recursive: true });
  const content = ['-C', sqlite3, path.posix.join('build', 'Release', 'node_sqlite3.node')];
  const { status } = spawnSync('tar', ['-czf', path.join(folder, file), ...content], { stdio: 'inherit' });
  if (status !== 0) throw new Error("SQLite's program could not be packed");
}

/** Empty for Linux's usual C library, and on other systems. */
function libc() {
  if (process.platform !== 'linux') return '';
  return process.report.getReport().header.glibcVersionRuntime ? '' : 'musl';
}
