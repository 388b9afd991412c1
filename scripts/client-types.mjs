// Writes the API's types for src/client/api from docs/openapi.json. The file is committed: a changed route shows in its diff, and breaks
// the build if the client uses it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';

const root = path.dirname(import.meta.dirname);
const source = path.join(root, 'docs', 'openapi.json');
const target = path.join(root, 'src', 'client', 'api', 'openapi.gen.ts');
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

const text = `// Made from docs/openapi.json by scripts/client-types.mjs; \`npm run openapi\` runs it.\n${await clientTypes()}`;
const isSame = existsSync(target) && readFileSync(target, 'utf8') === text;
if (process.argv.includes('--check') && !isSame) {
  console.error(
    'src/client/api/openapi.gen.ts is not what docs/openapi.json says. Run `npm run openapi` and commit the result.',
  );
  process.exit(1);
}
if (!isSame) writeFileSync(target, text);

async function clientTypes() {
  // A member with a default may be left out of a request.
  const types = astToString(await openapiTypes(withoutRefusals(), { defaultNonNullable: false }));
  // The document has no such content.
  return types.replace(/^export type (webhooks|\$defs) = .*;\n/gm, '');
}

/** The document without the responses that the client throws as errors, and without examples: two thirds of its length. */
function withoutRefusals() {
  const document = JSON.parse(readFileSync(source, 'utf8'), (key, value) => (key === 'example' ? undefined : value));
  const routes = Object.values(document.paths).flatMap((item) => METHODS.map((method) => item[method]));
  for (const { responses } of routes.filter(Boolean)) {
    for (const status of Object.keys(responses)) if (status >= '400') delete responses[status];
  }
  return document;
}
