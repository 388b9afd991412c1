import { readFileSync } from 'node:fs';
import { EVENTS } from './client.mjs';

/**
 * @typedef {object} GrowingRequest
 * @property {string} name
 * @property {'nobody' | 'bound' | 'admin'} who
 * @property {number} most     the largest size
 * @property {string} method
 * @property {(id: string) => string} path    contains the unique `id`
 * @property {(size: number, id: string) => unknown} [body]    JSON, or a text to send unchanged
 * @property {Record<string, string>} [headers]
 * @property {(size: number, id: string) => object[]} [before]    events to store first, in batches
 */

const DOCUMENT = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
/** Parsed as events, and listed individually below. */
const OF_BATCHES = new Set(['#/components/schemas/EventBatchDto']);

const range = (size) => Array.from({ length: size }, (_, at) => at);
const named = (size, value) => Object.fromEntries(range(size).map((at) => [`k${at}`, value]));

/** Replacements for a member. */
const SHAPES = {
  numbers: (size) => range(size),
  texts: (size) => range(size).map((at) => `t${at}`),
  objects: (size) => range(size).map(() => ({})),
  members: (size) => named(size, 0),
  blanks: (size) => ' '.repeat(8 * size),
  'one text': (size) => 'aA1-'.repeat(2 * size),
  digits: (size) => '9'.repeat(8 * size),
  'members of a list': (size) => [named(size, {})],
};

/** Every route with a body, each of its members in each shape. @returns {GrowingRequest[]} */
export function requestsOfDocument() {
  return Object.entries(DOCUMENT.paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
      if (!schema || OF_BATCHES.has(schema.$ref)) return [];
      return ofOperation(method.toUpperCase(), template, operation, resolved(schema));
    }),
  );
}

function ofOperation(method, template, { security }, schema) {
  const isPublic = security?.length === 0;
  const path = (id) => template.replace('{platform}', 'telegram').replace(/\{[^}]*\}/g, (part) => valueOf(part, id));
  const base = { method, path, most: isPublic ? 400 : 64_000, headers: isPublic ? { origin: 'own' } : {} };
  const valid = exampleOf(schema);
  const bodies = [
    ['unknown members', (size) => ({ ...valid, ...named(size, 0) })],
    ['a list', (size) => range(size)],
    ...Object.keys(schema.properties ?? {}).flatMap((member) =>
      Object.entries(SHAPES).map(([shape, make]) => [
        `${member}: ${shape}`,
        (size) => ({ ...valid, [member]: make(size) }),
      ]),
    ),
  ];
  return bodies.flatMap(([name, body]) =>
    (isPublic ? ['nobody'] : ['nobody', 'bound', 'admin'])
      .filter((who) => who !== 'nobody' || isPublic || name === 'unknown members')
      .map((who) => ({ ...base, who, name: `${method} ${template}, ${name}`, body: (size) => body(size) })),
  );
}

const valueOf = (part, id) => (part === '{step}' ? '1' : encodeURIComponent(id));

function resolved(schema) {
  return schema.$ref ? resolved(DOCUMENT.components.schemas[schema.$ref.split('/').at(-1)]) : schema;
}

function exampleOf(schema) {
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, exampleValue(resolved(properties[name] ?? {}))]));
}

function exampleValue(schema) {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object') return exampleOf(schema);
  return { string: 'x', integer: 1, number: 1, boolean: true, array: [] }[schema.type] ?? null;
}

const event = (type, thread_id, data = {}, more = {}) => ({
  type,
  data: { thread_id, trace_id: 'run', agent_id: 'support', ...data },
  ...more,
});
const step = (thread_id, step_index, data = {}, more = {}) =>
  event('checkpoint', thread_id, { step_index, ...data }, more);
const message = (at) => ({ role: 'user', content: `m${at}` });
const call = (at) => ({ id: `call-${at}`, name: 'pay', args: { at } });
const openCall = (at) => ({ id: `call-${at}`, type: 'function', function: { name: 'pay', arguments: '{}' } });
const trace = (at, data = {}) => ({ trace_id: `run-${at}`, ...data });

/** Lists that one batch can name, as events of a batch of `size`; at most a thousand are allowed. */
const BATCHES = {
  threads: (size, id) => range(size).map((at) => step(`${id}-${at}`, 0)),
  steps: (size, id) => range(size).map((at) => step(id, at)),
  'steps backwards': (size, id) => range(size).map((at) => step(id, size - at)),
  attempts: (size, id) => range(size).map((at) => step(id, at % 2)),
  runs: (size, id) => range(size).map((at) => step(id, 0, trace(at))),
  agents: (size, id) => range(size).map((at) => step(id, 0, { ...trace(at), agent_id: `support:${at}` })),
  'agents of one trace': (size, id) => range(size).map((at) => step(id, 0, { agent_id: `support:${at}` })),
  'runs that end': (size, id) =>
    range(size).map((at) =>
      event(at * 2 < size ? 'thread_started' : 'thread_completed', id, trace(at % Math.ceil(size / 2))),
    ),
  'waiting runs': (size, id) => range(size).map((at) => step(id, 0, { ...trace(at), pending_tool_calls: [call(at)] })),
  'waiting steps': (size, id) => range(size).map((at) => step(id, at, { pending_tool_calls: [call(at)] })),
  'events of one id': (size, id) => range(size).map(() => step(id, 0, {}, { id: `${id}-event` })),
  'events with ids': (size, id) => range(size).map((at) => step(id, at, {}, { id: `${id}-${at}` })),
  bases: (size, id) =>
    range(size).map((at) =>
      step(
        id,
        at,
        { history: [message(at)], ...(at > 0 && { history_base: { id: `${id}-${at - 1}`, length: at } }) },
        { id: `${id}-${at}` },
      ),
    ),
  'bases of one event': (size, id) =>
    range(size).map((at) =>
      step(
        id,
        at,
        { history: [message(at)], ...(at > 0 && { history_base: { id: `${id}-0`, length: 1 } }) },
        { id: `${id}-${at}` },
      ),
    ),
  'mistyped types': (size, id) => range(size).map((at) => event(`checkpiont${at}`, id)),
  'unknown types': (size, id) => range(size).map((at) => event(`${'of_no_use_'.repeat(20)}${at}`, id)),
  heartbeats: (size, id) =>
    range(size).map((at) => ({
      type: 'heartbeat',
      data: { agent_id: `support:${id}-${at}`, endpoint: 'http://127.0.0.1:9' },
    })),
  'faulty events': (size, id) => range(size).map((at) => step(id, 'x', { ...trace(at), history: 7, status: 7 })),
  'settled effects': (size, id) =>
    range(size).map((at) => event('effect_settled', id, { key: `k${at}`, attempt: 1, outcome: 'succeeded' })),
};

/** Chains of parents, which have other limits. */
const KINSHIP = {
  'a chain of parents': (size, id) =>
    range(size).map((at) => step(id, 0, trace(at, at > 0 ? { parent_trace_id: `run-${at - 1}` } : {}))),
  'a chain of children': (size, id) =>
    range(size).map((at) => step(id, 0, trace(at, { parent_trace_id: `run-${at + 1}` }))),
  'a circle of parents': (size, id) =>
    range(size).map((at) => step(id, 0, trace(at, { parent_trace_id: `run-${(at + 1) % size}` }))),
  'one parent': (size, id) => range(size).map((at) => step(id, 0, trace(at, { parent_trace_id: 'run' }))),
};

/** One event with a long list. */
const WIDE = {
  'a history': (size, id) => [step(id, 0, { history: range(size).map(message) })],
  'a history of one message': (size, id) => [step(id, 0, { history: range(size).map(() => message(0)) })],
  'metadata of a history': (size, id) => [
    step(id, 0, { history: range(size).map(message), history_meta: range(size).map((at) => ({ at })) }),
  ],
  'waiting calls': (size, id) => [step(id, 0, { pending_tool_calls: range(size).map(call) })],
  'calls of one message': (size, id) => [
    step(id, 0, { history: [{ role: 'assistant', content: null, tool_calls: range(size).map(openCall) }] }),
  ],
  'members of data': (size, id) => [step(id, 0, named(size, 0))],
  'members of an event': (size, id) => [{ ...step(id, 0), ...named(size, 0) }],
  'members of an error': (size, id) => [event('thread_error', id, { error: named(size, 0) })],
  'features of an approval': (size, id) => [
    step(id, 0, { pending_tool_calls: [call(0)], approval_features: range(size).map((at) => `f${at}`) }),
  ],
  triggers: (size) => [
    {
      type: 'heartbeat',
      data: {
        agent_id: 'support',
        endpoint: 'http://127.0.0.1:9',
        triggers: range(size).map((at) => ({ type: 'webhook', name: `t${at}` })),
        queued_runs: range(size).map((at) => ({ thread_id: `t${at}`, trace_id: 'r' })),
      },
    },
  ],
};

/** Ways to read what was stored. */
const READS = {
  latest: (id) => `/v1/runners/threads/${id}/latest`,
  'latest, safe': (id) => `/v1/runners/threads/${id}/latest?resume=safe`,
  runs: (id) => `/v1/runners/threads/${id}/runs`,
  thread: (id) => `/threads/${id}?logs_limit=200`,
  checkpoints: (id) => `/threads/${id}/checkpoints?limit=200`,
  steps: (id) => `/threads/${id}/steps?limit=200`,
};

/** @returns {GrowingRequest[]} */
export function requestsOfBatches() {
  const post = { method: 'POST', path: () => EVENTS };
  const of = (kinds, most) =>
    Object.entries(kinds).flatMap(([name, make]) =>
      ['bound', 'admin'].map((who) => ({
        ...{ ...post, who, most, name: `a batch of ${name}` },
        body: (size, id) => ({ events: make(size, id) }),
      })),
    );
  return [...of(BATCHES, 1000), ...of(KINSHIP, 1000), ...of(WIDE, 40_000)];
}

/** @returns {GrowingRequest[]} reads of what batches have stored */
export function requestsOfReaders() {
  const stored = [
    ...Object.entries({ ...BATCHES, ...KINSHIP }).map(([name, before]) => [name, before, 1000]),
    ...Object.entries(WIDE).map(([name, before]) => [name, before, 20_000]),
  ];
  return stored.flatMap(([name, before, most]) =>
    Object.entries(READS).flatMap(([read, path]) =>
      (path('').startsWith('/v1') ? ['bound', 'admin'] : ['admin']).map((who) => ({
        ...{ method: 'GET', path, who, most, before, name: `${read} after a batch of ${name}` },
      })),
    ),
  );
}

/** Headers of any route: at most 16 KiB in all. @returns {GrowingRequest[]} */
export function requestsOfHeaders() {
  const texts = {
    blanks: ' ',
    commas: ',',
    quotes: '"',
    semicolons: ';',
    equals: '=',
    letters: 'a',
    dots: '.',
    pairs: 'a=b;',
  };
  const names = ['if-none-match', 'accept-encoding', 'accept', 'cookie', 'authorization', 'content-type', 'origin'];
  const more = ['last-event-id', 'range', 'x-forwarded-for', 'idempotency-key', 'x-hub-signature-256', 'host'];
  return [...names, ...more].flatMap((header) =>
    Object.entries(texts).map(([text, one]) => ({
      ...{ method: 'POST', path: () => '/v1/channels/webhook/whatsapp', who: 'nobody', most: 12_000 },
      name: `${header} of ${text}`,
      headerOf: (size) => [header, `x${one.repeat(size).slice(0, size)}x`],
    })),
  );
}
