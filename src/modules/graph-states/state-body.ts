import { TimeSlices } from '../../common/time-slices.js';
import { memberDigests } from './state-filter.js';
import { checkpointIdFault, pathFault } from './state-identity.js';
import { StateObject } from './state-object.js';

/** A value, or its digest where the server has it already. */
export interface SentValue {
  channel: string;
  /** Exact JSON of a text or a number. */
  version: string;
  /** The tag of the serialiser. */
  type: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  digest: string;
  /** Base64; null where only the digest was sent. */
  data: Buffer | null;
}

/** A checkpoint as it was sent. */
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

/** A task's write, as sent. */
export interface SentWrites {
  taskId: string;
  taskPath: string;
  writes: readonly SentWrite[];
}

/**
 * Reads the body of a checkpoint, and lets other requests run in between.
 * @throws DomainError `invalid` that names every faulty member; `too_large`
 */
export async function readCheckpoint(body: Buffer): Promise<SentCheckpoint> {
  const members = await StateObject.ofBody(body, ['parent_id', 'checkpoint', 'metadata', 'values']);
  const checkpoint = members.object('checkpoint', ['type', 'data']);
  const metadata = members.exact('metadata');
  const valueFields = members.objects('values', ['version', 'type', 'data', 'digest']);
  const sent = {
    parentId: members.has('parent_id') ? members.id('parent_id', checkpointIdFault) : null,
    type: checkpoint.id('type'),
    data: checkpoint.base64('data'),
    metadata,
    members: members.isFine ? memberDigests(metadata, 'metadata') : [],
  };
  const values = valueFields.map(([channel, fields]) => valueIn(channel, fields));
  members.assertFine();
  const slices = new TimeSlices();
  const dataDigest = await members.digestOf('checkpoint.data', sent.data, slices);
  for (const value of values) {
    if (value.data) value.digest = await members.digestOf(`values.${value.channel}.data`, value.data, slices);
  }
  members.assertFine();
  return { ...sent, dataDigest, values };
}

/**
 * Reads the body of a task's writes, and lets other requests run in between.
 * @throws DomainError as `readCheckpoint`
 */
export async function readWrites(body: Buffer): Promise<SentWrites> {
  const members = await StateObject.ofBody(body, ['task_id', 'task_path', 'writes']);
  const fields = members.elements('writes', ['idx', 'channel', 'type', 'data']);
  const taskPath = members.has('task_path') ? members.text('task_path', pathFault) : '';
  const writes = fields.map((one) => ({
    idx: one.integer('idx'),
    channel: one.id('channel'),
    type: one.id('type'),
    data: one.base64('data'),
  }));
  const sent = { taskId: members.id('task_id'), taskPath, writes };
  const seen = new Set<number>();
  for (const [at, { idx }] of writes.entries()) {
    if (seen.has(idx)) members.fault(`writes[${at}].idx`, 'is there twice');
    seen.add(idx);
  }
  members.assertFine();
  const slices = new TimeSlices();
  for (const [at, { data }] of writes.entries()) await members.digestOf(`writes[${at}].data`, data, slices);
  members.assertFine();
  return sent;
}

function valueIn(channel: string, fields: StateObject): SentValue {
  const value = { channel, version: fields.version('version'), type: fields.id('type') };
  if (!fields.has('digest')) return { ...value, digest: '', data: fields.base64('data') };
  if (fields.has('data')) fields.fault('digest', 'must not be there beside data');
  return { ...value, digest: fields.text('digest', digestFault), data: null };
}

function digestFault(text: string): string | null {
  return /^[0-9a-f]{64}$/.test(text) ? null : 'must be a SHA-256 of 64 lower-case hexadecimal digits';
}
