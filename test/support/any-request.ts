import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';

type Schema = Record<string, unknown> & {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  example?: unknown;
};

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema?: Schema;
}

interface Operation {
  method: string;
  template: string;
  parameters: Parameter[];
  body: Schema | null;
}

/** A request as sent over the wire; nothing in it is escaped or corrected. */
export interface AnyRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

interface ApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface DocumentedOperation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

const DOCUMENT = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'),
) as ApiDocument;

const OPERATIONS: Operation[] = Object.entries(DOCUMENT.paths).flatMap(([template, operations]) =>
  Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
    method: method.toUpperCase(),
    template,
    parameters,
    body: requestBody ? (Object.values(requestBody.content)[0]?.schema ?? {}) : null,
  })),
);

/** Characters that a target must not contain; Node's client refuses them before it sends anything. */
const NOT_IN_TARGETS = /[^\x21-\x7e]/g;
const LONG_HEAD = 10_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', 'PROPFIND'];

const NASTY_TEXTS = ['', ' ', '0', '-1', '1.5', '1e999', 'null', 'true', '[]', '{}', '__proto__', 'constructor', '..'];
const NASTY_SCRIPTS = ['\0', '\ud800', '\u202e', '\u{1f600}', 'İ', 'ß', "' OR 1=1 --", '%', '_', '*', '\r\nX: y'];
const nastyText = fc.constantFrom(...NASTY_TEXTS, ...NASTY_SCRIPTS, 'x'.repeat(600), 'é'.repeat(9000), '9'.repeat(40));
const NASTY_SEGMENTS = ['%', '%zz', '%00', '%ff', '%2e%2e%2f', '%c0%80', '..', '.', '%F0%9F%98%80', ';a=b'];
const NASTY_VALUES = [null, true, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, [], {}, [null], [[[]]], { a: {} }];
const nastyValue = fc.oneof(fc.constantFrom<unknown>(...NASTY_VALUES), nastyText, fc.jsonValue({ maxDepth: 3 }));

/**
 * Requests of every documented route, most of them nearly right: a body that follows its schema with some values changed, parameters that
 * are known, unknown, repeated or broken, false headers. `known` are ids, tokens and cursors that the server knows.
 */
export function anyRequest(known: { ids: readonly string[]; tokens: readonly string[] }): fc.Arbitrary<AnyRequest> {
  const id = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known.ids) }, nastyText);
  const headers = headersOf(known.tokens);
  // Built once per operation: building them takes far longer than drawing from them.
  const requests = OPERATIONS.map((operation) =>
    fc
      .tuple(
        mostly(fc.constant(operation.method), fc.constantFrom(...METHODS)),
        targetOf(operation, id),
        headers,
        operation.body ? bodyOf(operation.body, id) : fc.option(bodyOf({}, id), { freq: 20 }),
      )
      .map(([method, target, named, body]) => asSent(method, target, named, body)),
  );
  return fc.oneof(...requests);
}

interface SentBody {
  bytes: Buffer;
  type: string | null;
  encoding: string | null;
}

function asSent(method: string, target: string, headers: Record<string, string>, body: SentBody | null): AnyRequest {
  const all: Record<string, string> = { ...headers };
  if (body?.type) all['content-type'] = body.type;
  if (body?.encoding) all['content-encoding'] = body.encoding;
  if (body) all['content-length'] = String(body.bytes.length);
  // The server refuses headers that are too long before it knows the method, with a body that a HEAD must not have.
  const isLong = target.length + Object.values(all).join('').length > LONG_HEAD;
  return {
    method: method === 'HEAD' && isLong ? 'GET' : method,
    target: target.replace(NOT_IN_TARGETS, '?'),
    headers: all,
    body: body?.bytes ?? null,
  };
}

function mostly<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: rare });
}

function targetOf({ template, parameters }: Operation, id: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const segment = mostly(id.map(encoded), fc.constantFrom(...NASTY_SEGMENTS));
  const parts = template
    .split('/')
    .map((part) => (part.startsWith('{') ? mostly(segmentOf(part, segment), segment) : fc.constant(part)));
  const names = parameters.filter((parameter) => parameter.in === 'query');
  const pair = fc.oneof(
    ...names.map(({ name, schema }) => valueText(schema, id).map((value) => `${name}=${encoded(value)}`)),
    fc.tuple(nastyText, nastyText).map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
  );
  const query = fc.oneof({ weight: 3, arbitrary: fc.array(pair, { maxLength: 4 }) }, fc.constant<string[]>([]));
  return fc.tuple(fc.tuple(...parts), query).map(([path_, pairs]) => {
    const suffix = pairs.length > 0 ? `?${pairs.join('&')}` : '';
    return path_.join('/') + suffix;
  });
}

function segmentOf(part: string, id: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (part === '{platform}') return fc.constantFrom('telegram', 'whatsapp', 'slack', 'constructor');
  return part === '{step}' ? fc.constantFrom('0', '1', '2', '-1', '1e3', '99999999999') : id;
}

function valueText(schema: Schema | undefined, id: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const choices = schema?.enum ?? schema?.items?.enum;
  if (choices) return mostly(fc.constantFrom(...choices.map(String)), nastyText);
  // No larger number is useful: as `wait` it would only take time.
  return fc.oneof(id, fc.constantFrom('0', '1', '2', 'true', '2026-01-01', '2026-01-01T00:00:00Z'), nastyText);
}

/** Like encodeURIComponent, which throws for half of a surrogate pair. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function headersOf(tokens: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const bearer = fc.constantFrom(...tokens).map((token) => `Bearer ${token}`);
  const wrong = fc.constantFrom('', 'Bearer', 'Bearer  ', 'Basic eDp5', 'Bearer x'.repeat(400), 'bearer \u00e9');
  const headers: Record<string, fc.Arbitrary<string>> = {
    accept: fc.constantFrom('*/*', 'text/html', 'text/event-stream', ';;', 'application/json;q=0'),
    'accept-encoding': fc.constantFrom('gzip', 'br', 'identity;q=0', 'x'.repeat(300)),
    'if-none-match': fc.constantFrom('*', '"1"', 'W/"1"', '"', ','.repeat(500)),
    'last-event-id': fc.constantFrom('0', '-1', '1e9', 'x', '9'.repeat(50)),
    'idempotency-key': fc.constantFrom('', 'k', 'x'.repeat(5000)),
    range: fc.constantFrom('bytes=0-', 'bytes=5-1', 'x'),
    origin: fc.constantFrom('null', 'https://evil.example'),
    'x-forwarded-for': fc.constantFrom('::1', '"', ','.repeat(100)),
    'x-http-method-override': fc.constantFrom('DELETE', 'TRACE'),
    'x-request-id': fc.constantFrom('a', 'x'.repeat(3000), '\u00ff'),
    expect: fc.constantFrom('x'),
  };
  const further = fc.array(
    fc.oneof(...Object.entries(headers).map(([name, value]) => value.map((text): [string, string] => [name, text]))),
    { maxLength: 3 },
  );
  return fc
    .tuple(mostly(bearer, wrong), fc.oneof({ weight: 3, arbitrary: fc.constant<[string, string][]>([]) }, further))
    .map(([authorization, more]) => ({ authorization, ...Object.fromEntries(more) }));
}

function bodyOf(schema: Schema, id: fc.Arbitrary<string>): fc.Arbitrary<SentBody> {
  const value = fc
    .tuple(sampleOf(schema, id, 0), fc.array(fc.tuple(fc.nat(40), nastyValue, fc.nat(3)), { maxLength: 2 }))
    .map(([sample, changes]) => changes.reduce((whole, [at, other, how]) => changed(whole, at, other, how), sample));
  const text = mostly(
    value.map((whole) => JSON.stringify(whole) ?? 'undefined'),
    fc.constantFrom(
      '',
      '{',
      '[',
      '"',
      '{"a":1,"a":2}',
      '\ufeff{}',
      'NaN',
      '[1,]',
      '{"events":[{}]',
      '{}{}',
      'payload=%7B%7D',
    ),
  );
  const type = mostly(
    fc.constant<string | null>('application/json'),
    fc.constantFrom(
      null,
      'text/plain',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      'a/b;;',
      '*',
    ),
  );
  const encoding = mostly(
    fc.constant(null),
    fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'identity'),
  );
  return fc.tuple(text, type, encoding, fc.boolean()).map(([plain, contentType, contentEncoding, isHonest]) => ({
    bytes: isHonest ? compressed(Buffer.from(plain), contentEncoding) : Buffer.from(plain),
    type: contentType,
    encoding: contentEncoding,
  }));
}

function compressed(bytes: Buffer, encoding: string | null): Buffer {
  if (encoding === 'gzip') return gzipSync(bytes);
  return encoding === 'br' ? brotliCompressSync(bytes) : bytes;
}

/** A value that follows its schema: optional members are present half of the time. */
function sampleOf(schema: Schema, id: fc.Arbitrary<string>, depth: number): fc.Arbitrary<unknown> {
  if (schema.$ref) return sampleOf(DOCUMENT.components.schemas[schema.$ref.split('/').at(-1)!]!, id, depth);
  const choice = (schema.oneOf ?? schema.anyOf ?? schema.allOf) as Schema[] | undefined;
  if (depth > 6) return fc.constant(null);
  if (choice) return fc.oneof(...choice.map((one) => sampleOf(one, id, depth + 1)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'array') return fc.array(sampleOf(schema.items ?? {}, id, depth + 1), { maxLength: 3 });
  if (schema.properties) {
    const { required = [] } = schema;
    const members = Object.entries(schema.properties).map(([name, member]) => {
      const known = member.example === undefined ? fc.constant(null) : fc.constant(member.example);
      return [name, fc.oneof(sampleOf(member, id, depth + 1), known)] as const;
    });
    return fc.record(Object.fromEntries(members), {
      requiredKeys: required.filter((name) => schema.properties![name]),
    });
  }
  const byType: Record<string, fc.Arbitrary<unknown>> = {
    string: id,
    integer: fc.nat(5),
    number: fc.double({ min: 0, max: 10, noNaN: true }),
    boolean: fc.boolean(),
    object: fc.dictionary(nastyText, nastyValue, { maxKeys: 3 }),
  };
  return byType[schema.type ?? ''] ?? nastyValue;
}

/** The value with its `at`-th part replaced, removed, doubled or given another member. */
function changed(whole: unknown, at: number, other: unknown, how: number): unknown {
  const places: { parent: Record<string, unknown>; key: string }[] = [];
  const root = { whole: structuredClone(whole) };
  const visit = (parent: Record<string, unknown>) => {
    for (const key of Object.keys(parent)) {
      places.push({ parent, key });
      const value = parent[key];
      if (value !== null && typeof value === 'object') visit(value as Record<string, unknown>);
    }
  };
  visit(root);
  const { parent, key } = places[at % places.length]!;
  if (how === 0) parent[key] = other;
  else if (how === 1) Reflect.deleteProperty(parent, key);
  else if (how === 2) parent[key] = [parent[key], parent[key]];
  else
    Object.defineProperty(parent, typeof other === 'string' ? other : 'x', {
      value: other,
      enumerable: true,
      configurable: true,
    });
  return root.whole;
}
