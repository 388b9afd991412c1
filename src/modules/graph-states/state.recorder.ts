import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { idFault } from '../../common/id-fault.js';
import { parsedJson } from '../../common/parsed-json.js';
import type { SqlRow } from '../../database/database.js';
import { JournalParticipants } from '../threads/journal/store/journal-participants.service.js';
import type { JournalParticipant } from '../threads/threads.contract.js';
import { memberDigests } from './state-filter.js';
import { placeOf, positionOf } from './state-identity.js';
import { STATE_TABLES } from './state-tables.js';

/** Deletes, imports and exports states with their thread. */
@Injectable()
export class StateRecorder implements JournalParticipant, OnModuleInit {
  readonly tables = [];
  readonly largeTables = STATE_TABLES;

  constructor(private readonly participants: JournalParticipants) {}

  onModuleInit(): void {
    this.participants.add(this);
  }

  importFault(row: SqlRow, table: string): string | null {
    if (table === 'state_leftover') return null;
    const data = String(row.data);
    const bytes = Buffer.from(data, 'base64');
    if (bytes.toString('base64') !== data) return `${table}.data must be Base64.`;
    if (table === 'state_checkpoint') return checkpointFault(row);
    if (table === 'state_write') return null;
    const digest = hash('sha256', bytes, 'hex');
    return row.digest === digest ? null : 'state_value.digest must be the SHA-256 of its data.';
  }
}

function checkpointFault(row: SqlRow): string | null {
  const [agent, ns, id] = [String(row.agent), String(row.ns), String(row.checkpoint_id)];
  if (idFault(agent) !== null) return 'state_checkpoint.agent must be the id of an agent.';
  if (row.place !== placeOf(agent, ns, id)) return 'state_checkpoint.place must be that of its agent, ns and id.';
  if (row.position !== positionOf(id)) return 'state_checkpoint.position must be that of its id.';
  if (!isChannels(parsedJson(String(row.channels)))) return 'state_checkpoint.channels must be a list of values.';
  const metadata = parsedJson(String(row.metadata));
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  if (!isObject) return 'state_checkpoint.metadata must be a JSON object.';
  const members = memberDigests(Buffer.from(String(row.metadata)), 'metadata').join(' ');
  return row.members === members ? null : 'state_checkpoint.members must be those of its metadata.';
}

function isChannels(channels: unknown): boolean {
  return Array.isArray(channels) && channels.every(isChannel);
}

function isChannel(channel: unknown): boolean {
  if (!Array.isArray(channel) || channel.length !== 4 || !channel.every((part) => typeof part === 'string'))
    return false;
  const [, version, , digest] = channel;
  return ['string', 'number'].includes(typeof parsedJson(version!)) && /^[0-9a-f]{64}$/.test(digest!);
}
