import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const FOLDER = path.resolve(import.meta.dirname, '../../test/fakes/platforms');
const FILES = ['platform-server', 'telegram-rules', 'telegram-fake'];

/** The tests' fake Telegram, written in TypeScript. */
export async function startTelegram() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-telegram-'));
  try {
    for (const name of FILES) {
      const source = readFileSync(path.join(FOLDER, `${name}.ts`), 'utf8');
      const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
      const { outputText } = ts.transpileModule(source, { compilerOptions: options });
      writeFileSync(path.join(folder, `${name}.js`), outputText);
    }
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const { TelegramFake } = await import(pathToFileURL(path.join(folder, 'telegram-fake.js')).href);
    return await TelegramFake.start();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
