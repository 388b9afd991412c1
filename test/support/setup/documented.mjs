// Checks API responses against docs/openapi.json. For documented-answers.ts; environment.mjs says why it is separate.
import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Tests check larger responses themselves; parsing them here would only cost time. */
const MAX_BYTES = 4 * 1024 * 1024;

const DOCUMENT = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'));

/**
 * @param {{ status: number, headers: Record<string, string | undefined>, bytes: Buffer }} answer
 * @returns {string | null} how it differs from the documentation; null if it does not
 */
export function faultIn(method, target, answer) {
  const route = routeOf(target);
  const operation = route?.operations[method.toLowerCase()];
  if (!operation) return null;
  const where = `${method} ${route.template} ${answer.status}`;
  const response = operation.responses[String(answer.status)];
  if (!response) return `Not documented: ${where}: ${answer.bytes.toString().slice(0, 300)}`;
  return faultInBody(where, response.content ?? {}, answer);
}

function faultInBody(where, content, { headers, bytes }) {
  const mediaType = headers['content-type']?.split(';')[0]?.trim();
  if (bytes.length === 0) return null;
  if (mediaType === undefined || !content[mediaType]) {
    return `Not documented: ${where} with ${mediaType}: ${bytes.toString().slice(0, 300)}`;
  }
  if (!/[/+]json$/.test(mediaType) || bytes.length > MAX_BYTES) return null;
  const validate = validatorOf(content[mediaType].schema);
  const text = bytes.toString();
  if (validate(JSON.parse(text))) return null;
  const faults = (validate.errors ?? [])
    .map((fault) => `${fault.instancePath || '/'} ${fault.message} ${JSON.stringify(fault.params)}`)
    .slice(0, 8);
  return `Not as documented: ${where}: ${faults.join('; ')}: ${text.slice(0, 500)}`;
}

function routeOf(target) {
  const pathname = target.split(/[?#]/, 1)[0] ?? '';
  return ROUTES.find((route) => route.pattern.test(pathname));
}

/** Paths without parameters come first, as they do in the server. */
const ROUTES = Object.entries(DOCUMENT.paths)
  .sort(([left], [right]) => parametersIn(left) - parametersIn(right))
  .map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }));

function parametersIn(template) {
  return template.split('{').length;
}

const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false });
const validators = new Map();
for (const [name, schema] of Object.entries(DOCUMENT.components.schemas)) {
  ajv.addSchema(asJsonSchema(schema), `#/components/schemas/${name}`);
}

function validatorOf(schema) {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = ajv.compile(asJsonSchema(schema ?? {}))));
  return validate;
}

/** OpenAPI 3.0 as JSON Schema, in which objects have only documented members, unless they say otherwise. */
function asJsonSchema(node) {
  if (Array.isArray(node)) return node.map(asJsonSchema);
  if (node === null || typeof node !== 'object') return node;
  const { nullable, ...members } = node;
  const schema = {};
  for (const [key, value] of Object.entries(members)) {
    if (key === 'example') continue;
    schema[key] = key === 'properties' ? propertiesOf(value) : asJsonSchema(value);
  }
  if (schema.type === 'object' && schema.properties) schema.additionalProperties ??= false;
  return nullable ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

/** These are names, even if they look like keywords. */
function propertiesOf(properties) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, asJsonSchema(schema)]));
}
