import { readFileSync } from 'node:fs';
import path from 'node:path';
import { useSharedServer } from '../../support/shared-server.js';

interface Schema {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  example?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

interface Operation {
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

/** An optional member of a body. */
interface Optional {
  name: string;
  method: string;
  target: string;
  body: unknown;
  /** The same without the member. */
  absent: unknown;
  /** Its place, as faults name it. */
  at: string;
  isNullable: boolean;
}

const DOCUMENT = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : DOCUMENT.components.schemas[schema.$ref.split('/').at(-1)!]!;
}

function takesNull(schema: Schema): boolean {
  return (
    schema.nullable === true ||
    [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].some((one) => takesNull(resolved(one)))
  );
}

/** A value that follows the schema, with the required members. */
function sample(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.oneOf) return sample(schema.oneOf[0]!);
  if (schema.type === 'array') return [sample(schema.items ?? {})];
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'boolean') return false;
  if (schema.type !== 'object' && !schema.properties) return 'text';
  return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties![name]!)]));
}

type Around = (inner: unknown) => unknown;

/** The optional members of a schema and its parts, each with the body in which it is null. */
function optionalsOf(
  given: Schema,
  at: string,
  around: Around,
): Pick<Optional, 'at' | 'body' | 'absent' | 'isNullable'>[] {
  const schema = resolved(given);
  const whole = sample({ ...schema, example: undefined }) as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const where = at === '' ? name : `${at}.${name}`;
    const put: Around = (value) => around({ ...whole, [name]: value });
    const isOptional = !schema.required?.includes(name);
    const own = isOptional
      ? [{ at: where, body: put(null), absent: around(whole), isNullable: takesNull(resolved(member)) }]
      : [];
    const inner = resolved(member);
    if (inner.type === 'array')
      return [...own, ...optionalsOf(inner.items ?? {}, `${where}[0]`, (value) => put([value]))];
    if (typeof inner.additionalProperties === 'object') {
      return [...own, ...optionalsOf(inner.additionalProperties, `${where}.some`, (some) => put({ some }))];
    }
    return [...own, ...optionalsOf(inner, where, put)];
  });
}

const OPTIONALS: Optional[] = Object.entries(DOCUMENT.paths).flatMap(([template, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return [];
    const target = template.replaceAll(/\{\w+\}/g, '1');
    return optionalsOf(schema, '', (body) => body).map((one) => ({
      name: `${method.toUpperCase()} ${template}: ${one.at}`,
      ...{ method: method.toUpperCase(), target, ...one },
    }));
  }),
);

const server = useSharedServer();

describe('Null for a member that need not be there', () => {
  it.each(OPTIONALS)('$name is accepted where the document says so, and nowhere else', async (optional) => {
    const { method, target, body, absent, at, isNullable } = optional;
    const faultsOf = async (sent: unknown) => {
      const answer = await server.api.send(method, target, JSON.stringify(sent));
      const { errors = [] } = answer.status === 400 ? answer.json<{ errors?: { path: string }[] }>() : {};
      return errors.filter(({ path: fault }) => fault === at || fault.startsWith(`${at}.`));
    };
    // One of several optional members may be required.
    const faults = (await faultsOf(absent)).length > 0 ? [] : await faultsOf(body);
    expect({ isNullable, faults }).toEqual({ isNullable: faults.length === 0, faults });
  });
});
