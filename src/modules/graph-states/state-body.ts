import { TimeSlices } from '../../common/time-slices.js';
import { memberDigests } from './state-filter.js';
import { checkpointIdFault, pathFault } from './state-identity.js';
import { StateObject } from './state-object.js';

/** A value, or only its digest if the server has it. */
export interface SentValue {
  channel: string;
  /** Exact JSON of a string or a number. */
  version: string;
  /** The serialiser's tag. */
  type: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  digest: string;
  /** Base64; null if only the digest was sent. */
  data: Buffer | null;
}

export interface SentCheckpoint {
  parentId: string | null;
  type: string;
  data: Buffer;
  dataDigest: string;
  /** Exact JSON. */
  metadata: Buffer;
  members: readonly string[];
  values: readonly SentValue[];
}

export interface SentWrite {
  idx: number;
  channel: string;
  type: string;
  /** Base64. */
  data: Buffer;
}

export interface SentWrites {
  taskId: string;
  taskPath: string;
  writes: readonly SentWrite[];
}

export interface SentStep {
  checkpoint: (SentCheckpoint & { ns: string; checkpointId: string }) | null;
  writes: readonly (SentWrites & { ns: string; checkpointId: string })[];
  /** Exact JSON of an array; null for none. */
  events: Buffer | null;
}

const CHECKPOINT = ['parent_id', 'checkpoint', 'metadata', 'values'];
const WRITES = ['task_id', 'task_path', 'writes'];
const NAME = ['ns', 'checkpoint_id'];

/**
 * Reads the body of a checkpoint, yielding to other requests.
 * @throws DomainError `invalid` with every faulty member; `too_large`
 */
export async function readCheckpoint(body: Buffer): Promise<SentCheckpoint> {
  const members = await StateObject.ofBody(body, CHECKPOINT);
  const sent = checkpointIn(members);
  members.assertFine();
  await addDigests(members, '', sent, new TimeSlices());
  members.assertFine();
  return sent;
}

/** @throws DomainError as `readCheckpoint` */
export async function readWrites(body: Buffer): Promise<SentWrites> {
  const members = await StateObject.ofBody(body, WRITES);
  const sent = writesIn(members);
  members.assertFine();
  await checkData(members, '', sent, new TimeSlices());
  members.assertFine();
  return sent;
}

/** @throws DomainError as `readCheckpoint` */
export async function readStep(body: Buffer): Promise<SentStep> {
  const members = await StateObject.ofBody(body, ['checkpoint', 'writes', 'events']);
  const named = (fields: StateObject) => ({
    ns: fields.has('ns') ? fields.text('ns', pathFault) : '',
    checkpointId: fields.id('checkpoint_id', checkpointIdFault),
  });
  const inner = members.has('checkpoint') ? members.object('checkpoint', [...NAME, ...CHECKPOINT]) : null;
  const checkpoint = inner && { ...named(inner), ...checkpointIn(inner) };
  const tasks = members.has('writes') ? members.elements('writes', [...NAME, ...WRITES]) : [];
  const writes = tasks.map((task) => ({ ...named(task), ...writesIn(task) }));
  const seen = new Set<string>();
  for (const [at, { ns, checkpointId, taskId }] of writes.entries()) {
    const key = JSON.stringify([ns, checkpointId, taskId]);
    if (seen.has(key)) members.fault(`writes[${at}].task_id`, 'is given twice');
    seen.add(key);
  }
  const events = members.has('events') ? members.array('events') : null;
  members.assertFine();
  const slices = new TimeSlices();
  if (checkpoint) await addDigests(members, 'checkpoint.', checkpoint, slices);
  for (const [at, one] of writes.entries()) await checkData(members, `writes[${at}].`, one, slices);
  members.assertFine();
  return { checkpoint, writes, events };
}

/** Without the digests of whole values, which take time. */
function checkpointIn(members: StateObject): SentCheckpoint {
  const checkpoint = members.object('checkpoint', ['type', 'data']);
  const metadata = members.exact('metadata');
  const valueFields = members.objects('values', ['version', 'type', 'data', 'digest']);
  return {
    parentId: members.has('parent_id') ? members.id('parent_id', checkpointIdFault) : null,
    type: checkpoint.id('type'),
    data: checkpoint.base64('data'),
    dataDigest: '',
    metadata,
    members: members.isFine ? memberDigests(metadata, 'metadata') : [],
    values: valueFields.map(([channel, fields]) => valueIn(channel, fields)),
  };
}

async function addDigests(members: StateObject, at: string, sent: SentCheckpoint, slices: TimeSlices): Promise<void> {
  sent.dataDigest = await members.digestOf(`${at}checkpoint.data`, sent.data, slices);
  for (const value of sent.values) {
    if (value.data) value.digest = await members.digestOf(`${at}values.${value.channel}.data`, value.data, slices);
  }
}

function writesIn(members: StateObject): SentWrites {
  const fields = members.elements('writes', ['idx', 'channel', 'type', 'data']);
  const taskPath = members.has('task_path') ? members.text('task_path', pathFault) : '';
  const writes = fields.map((one) => ({
    idx: one.integer('idx'),
    channel: one.id('channel'),
    type: one.id('type'),
    data: one.base64('data'),
  }));
  const seen = new Set<number>();
  for (const [at, { idx }] of writes.entries()) {
    if (seen.has(idx)) members.fault(`writes[${at}].idx`, 'is given twice');
    seen.add(idx);
  }
  return { taskId: members.id('task_id'), taskPath, writes };
}

async function checkData(
  members: StateObject,
  path: string,
  { writes }: SentWrites,
  slices: TimeSlices,
): Promise<void> {
  for (const [at, { data }] of writes.entries()) await members.digestOf(`${path}writes[${at}].data`, data, slices);
}

function valueIn(channel: string, fields: StateObject): SentValue {
  const value = { channel, version: fields.version('version'), type: fields.id('type') };
  if (!fields.has('digest')) return { ...value, digest: '', data: fields.base64('data') };
  if (fields.has('data')) fields.fault('digest', 'must not be given together with data');
  return { ...value, digest: fields.text('digest', digestFault), data: null };
}

function digestFault(text: string): string | null {
  return /^[0-9a-f]{64}$/.test(text) ? null : 'must be a SHA-256 of 64 lower-case hexadecimal digits';
}
