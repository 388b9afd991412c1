// `npm run openapi` writes docs/openapi.json from the routes of the built program, and from it the types of src/client; also lints it.
// `npm run openapi:check` fails if the committed file differs. Needs neither network nor a running server.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const FILE = path.join(ROOT, 'docs', 'openapi.json');

const text = `${JSON.stringify(await documentOfTheProgram(), null, 2)}\n`;
if (process.argv.includes('--check')) compare(text);
else write(text);
process.exit(lint() || clientTypes());

async function documentOfTheProgram() {
  const home = mkdtempSync(path.join(os.tmpdir(), 'waystation-openapi-'));
  const { loadConfig } = await import('../build/config/env.js');
  const { createApp } = await import('../build/create-app.js');
  const { createOpenApiDocument } = await import('../build/http/openapi.js');
  const app = await createApp(loadConfig({ WAYSTATION_HOME: home, WAYSTATION_LOG_LEVEL: 'silent' }));
  try {
    return createOpenApiDocument(app);
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function write(document) {
  mkdirSync(path.dirname(FILE), { recursive: true });
  writeFileSync(FILE, document);
  console.log(`wrote ${path.relative(ROOT, FILE)}`);
}

function compare(document) {
  const committed = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  if (committed === document) return;
  console.error('docs/openapi.json is not what the routes say. Run `npm run openapi` and commit the result.');
  process.exit(1);
}

function clientTypes() {
  const flags = process.argv.includes('--check') ? ['--check'] : [];
  const script = path.join(ROOT, 'scripts', 'client-types.mjs');
  return spawnSync(process.execPath, [script, ...flags], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

function lint() {
  const redocly = path.join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const done = spawnSync(process.execPath, [redocly, 'lint', FILE], { cwd: ROOT, stdio: 'inherit', env });
  return done.status ?? 1;
}
