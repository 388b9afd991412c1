import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Answer } from './api-client.js';

type Schema = Record<string, unknown>;

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

interface Route {
  readonly pattern: RegExp;
  readonly template: string;
  readonly operations: Record<string, Operation>;
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Larger answers are compared by the tests that ask for them; parsing them here would only cost time. */
const MAX_BYTES = 4 * 1024 * 1024;

const DOCUMENT = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'),
) as ApiDocument;

/**
 * Holds an answer of the API against docs/openapi.json: its status, media type and schema, without undocumented members.
 * Throws where they differ. Answers to requests that no documented route takes must be problems.
 */
export function checkDocumented(method: string, target: string, answer: Answer): void {
  const route = routeOf(target);
  const operation = route?.operations[method.toLowerCase()];
  if (!route || !operation) return;
  const where = `${method} ${route.template} ${answer.status}`;
  const response = operation.responses[String(answer.status)];
  if (!response) throw new Error(`Not documented: ${where}: ${answer.text.slice(0, 300)}`);
  checkBody(where, response.content ?? {}, answer);
}

function checkBody(where: string, content: Record<string, { schema?: Schema }>, answer: Answer): void {
  const mediaType = answer.headers['content-type']?.split(';')[0]?.trim();
  if (answer.bytes.length === 0) return;
  if (mediaType === undefined || !content[mediaType]) {
    throw new Error(`Not documented: ${where} with ${mediaType}: ${answer.text.slice(0, 300)}`);
  }
  if (!/[/+]json$/.test(mediaType) || answer.bytes.length > MAX_BYTES) return;
  const validate = validatorOf(content[mediaType].schema);
  if (validate(JSON.parse(answer.text))) return;
  const faults = (validate.errors ?? [])
    .map((fault) => `${fault.instancePath || '/'} ${fault.message} ${JSON.stringify(fault.params)}`)
    .slice(0, 8);
  throw new Error(`Not as documented: ${where}: ${faults.join('; ')}: ${answer.text.slice(0, 500)}`);
}

function routeOf(target: string): Route | undefined {
  const pathname = target.split(/[?#]/, 1)[0] ?? '';
  return ROUTES.find((route) => route.pattern.test(pathname));
}

/** Paths without parameters come first, as they do in the server. */
const ROUTES: Route[] = Object.entries(DOCUMENT.paths)
  .sort(([left], [right]) => parametersIn(left) - parametersIn(right))
  .map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }));

function parametersIn(template: string): number {
  return template.split('{').length;
}

const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false });
const validators = new Map<Schema | undefined, ValidateFunction>();
for (const [name, schema] of Object.entries(DOCUMENT.components.schemas)) {
  ajv.addSchema(asJsonSchema(schema) as Schema, `#/components/schemas/${name}`);
}

function validatorOf(schema: Schema | undefined): ValidateFunction {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = ajv.compile(asJsonSchema(schema ?? {}) as Schema)));
  return validate;
}

/** OpenAPI 3.0 as JSON Schema, in which an object has the documented members only, unless it says otherwise. */
function asJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asJsonSchema);
  if (node === null || typeof node !== 'object') return node;
  const { nullable, example: _example, ...members } = node as Schema;
  const schema: Schema = {};
  for (const [key, value] of Object.entries(members)) {
    schema[key] = key === 'properties' ? propertiesOf(value as Schema) : asJsonSchema(value);
  }
  if (schema.type === 'object' && schema.properties) schema.additionalProperties ??= false;
  return nullable ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

/** The names are not keywords, whatever they read like. */
function propertiesOf(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, asJsonSchema(schema)]));
}
