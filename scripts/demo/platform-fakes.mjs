import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCE = path.join(ROOT, 'test/fakes/platforms');
const TARGET = path.join(ROOT, '.tmp/platform-fakes');

/**
 * The module of a fake platform from the tests: `telegram-fake`, `whatsapp-fake` or `slack-fake`.
 * Node 20 cannot run TypeScript, so all of them are compiled first.
 */
export async function loadFake(name) {
  mkdirSync(TARGET, { recursive: true });
  for (const file of readdirSync(SOURCE)) {
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
    const { outputText } = ts.transpileModule(readFileSync(path.join(SOURCE, file), 'utf8'), { compilerOptions });
    writeFileSync(path.join(TARGET, file.replace(/\.ts$/, '.js')), outputText);
  }
  return import(pathToFileURL(path.join(TARGET, `${name}.js`)).href);
}
