// Writes the API's types for the console from docs/openapi.json, so that API changes break the console's build.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';

const root = path.dirname(import.meta.dirname);
const source = path.join(root, 'docs', 'openapi.json');
const target = path.join(root, 'console', 'src', 'api', 'openapi.gen.ts');

/** Leaves an up-to-date file untouched, so that nothing is rebuilt because of it. */
export async function writeConsoleTypes() {
  if (existsSync(target) && statSync(target).mtimeMs > statSync(source).mtimeMs) return;
  // A member with a default may be left out of a request.
  const types = astToString(await openapiTypes(pathToFileURL(source), { defaultNonNullable: false }));
  const text = `// Made from docs/openapi.json by scripts/console-types.mjs.\n${types}`;
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text);
}

await writeConsoleTypes();
