import { Injectable } from '@nestjs/common';
import { invalidField } from '../../common/domain-error.js';
import { decodeCursor, encodeCursor } from '../../common/pagination.js';
import type { Principal } from '../../common/principal.js';
import { stateChanged, stateNotFound } from './state.errors.js';
import { readFilter } from './state-filter.js';
import { positionOf, type StateAddress } from './state-identity.js';
import { StatePositionsRepository, type StateFilter, type StatePosition } from './state-positions.repository.js';
import {
  StateGoneError,
  StateRepository,
  type StateOutline,
  type StateRow,
  type StoredValue,
  type StoredWrite,
  type WriteHead,
} from './state.repository.js';

/** Null means all. */
export interface StatesQuery {
  threadId: string | null;
  threadPrefix: string | null;
  ns: string | null;
  agentId: string | null;
  /** Only those with smaller ids. */
  before: string | null;
  /** JSON of an object whose members the metadata must have. */
  filter: string | null;
  limit: number;
  cursor: string | null;
}

const CURSOR = 'states';
/** Values or writes read together: at most one megabyte. */
const TOGETHER = 16;

/** Serves graph states piece by piece: a response may be as long as all of them together. */
@Injectable()
export class StateQueryService {
  constructor(
    private readonly states: StateRepository,
    private readonly places: StatePositionsRepository,
  ) {}

  /**
   * One checkpoint with its values and writes, or the newest of its namespace, as pieces of JSON.
   * @throws DomainError `not_found`, also if it is deleted meanwhile; `unavailable` if it is replaced meanwhile
   */
  async *one({ threadId, ns, checkpointId, agentId }: StateAddress, caller: Principal): AsyncGenerator<string> {
    if (`${threadId}${ns}${checkpointId}${agentId}`.includes('\0')) throw stateNotFound();
    const filter = { ...ALL, threadId, ns, checkpointId, agent: agentId, agents: caller.agentIds };
    const row = await this.newest(filter);
    if (!row) throw stateNotFound();
    try {
      yield* this.pieces(row);
    } catch (error) {
      if (!(error instanceof StateGoneError)) throw error;
      throw (await this.newest(filter)) ? stateChanged() : stateNotFound();
    }
  }

  /**
   * A page of checkpoints with their values and writes, highest ids first, as pieces of JSON.
   * @throws DomainError `invalid` for a filter that is no JSON object, and for a cursor of another list; `unavailable` if a checkpoint is
   * deleted or replaced while it is read
   */
  list(query: StatesQuery, caller: Principal): AsyncGenerator<string> {
    return this.page(query, caller, (position) => this.whole(position));
  }

  /**
   * The same page without anything serialised.
   * @throws DomainError `invalid`
   */
  index(query: StatesQuery, caller: Principal): AsyncGenerator<string> {
    return this.page(query, caller, (position) => this.outline(position));
  }

  /** @param textOf yields nothing for a checkpoint that has been deleted meanwhile */
  private async *page(
    query: StatesQuery,
    caller: Principal,
    textOf: (position: StatePosition) => AsyncGenerator<string>,
  ): AsyncGenerator<string> {
    const { threadId, threadPrefix, ns, agentId, before, limit, cursor } = query;
    const filter: StateFilter = {
      ...{ threadId, threadPrefix, ns, checkpointId: null },
      ...{ agent: agentId, agents: caller.agentIds },
      before: before === null ? null : positionOf(before),
      members: query.filter === null ? [] : readFilter(query.filter),
    };
    const after = cursor === null ? null : positionIn(cursor);
    const found = await this.places.newest(filter, after, limit + 1);
    const page = found.slice(0, limit);
    yield '{"items":[';
    let isFirst = true;
    for (const position of page) {
      let isBegun = false;
      for await (const piece of textOf(position)) {
        if (!isBegun && !isFirst) yield ',';
        yield piece;
        isBegun = true;
        isFirst = false;
      }
    }
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last ? encodeCursor(CURSOR, [last.position, last.thread_pk, last.place]) : null;
    yield `],"next_cursor":${JSON.stringify(next)}}`;
  }

  private async *whole(position: StatePosition): AsyncGenerator<string> {
    const row = await this.states.find(position);
    if (!row) return;
    try {
      yield* this.pieces(row);
    } catch (error) {
      throw error instanceof StateGoneError ? stateChanged() : error;
    }
  }

  private async *outline(position: StatePosition): AsyncGenerator<string> {
    const row = await this.states.outline(position);
    if (!row) return;
    const channels = (JSON.parse(row.channels) as [channel: string][]).map(([channel]) => channel);
    yield `${headOf(row)},"metadata":${row.metadata},"channels":${JSON.stringify(channels)}}`;
  }

  private async newest(filter: StateFilter): Promise<StateRow | null> {
    const [position] = await this.places.newest(filter, null, 1);
    return position ? this.states.find(position) : null;
  }

  private async *pieces(row: StateRow): AsyncGenerator<string> {
    const { type, metadata } = row;
    yield `${headOf(row)},"checkpoint":{"type":${JSON.stringify(type)},"data":"`;
    if (row.data === null) yield* this.states.checkpointData(row);
    else yield row.data;
    yield `"},"metadata":${metadata},"values":{`;
    yield* this.valuePieces(row);
    yield '},"writes":[';
    yield* this.writePieces(row);
    yield ']}';
  }

  private async *valuePieces(row: StateRow): AsyncGenerator<string> {
    const channels = JSON.parse(row.channels) as [channel: string, version: string, type: string, digest: string][];
    let separator = '';
    for (let from = 0; from < channels.length; from += TOGETHER) {
      const some = channels.slice(from, from + TOGETHER);
      const found = await this.states.values(row, [...new Set(some.map(([, , , digest]) => digest))]);
      const byDigest = new Map(found.map((value) => [value.digest, value]));
      for (const [channel, version, type, digest] of some) {
        const value = byDigest.get(digest);
        if (!value) throw new StateGoneError();
        const [name, tag] = [channel, type].map((text) => JSON.stringify(text));
        yield `${separator}${name}:{"version":${version},"type":${tag},"digest":"${digest}","data":"`;
        yield* this.valueData(row, value);
        yield '"}';
        separator = ',';
      }
    }
  }

  private async *valueData(row: StateRow, value: StoredValue): AsyncGenerator<string> {
    if (value.data === null) yield* this.states.valueData(row, value);
    else yield value.data;
  }

  private async *writePieces(row: StateRow): AsyncGenerator<string> {
    const heads = inOrder(await this.states.writeHeads(row));
    let separator = '';
    for (let from = 0; from < heads.length; from += TOGETHER) {
      const some = heads.slice(from, from + TOGETHER);
      const found = await this.states.writes(row, some);
      for (const { task_id, idx, task_path } of some) {
        const write = found.find((one) => one.task_id === task_id && one.idx === idx);
        if (write?.task_path !== task_path) throw new StateGoneError();
        const { channel, type } = write;
        const shown = JSON.stringify({ task_id, task_path, idx, channel, type });
        yield `${separator}${shown.slice(0, -1)},"data":"`;
        yield* this.writeData(row, write);
        yield '"}';
        separator = ',';
      }
    }
  }

  private async *writeData(row: StateRow, write: StoredWrite): AsyncGenerator<string> {
    if (write.data === null) yield* this.states.writeData(row, write);
    else yield write.data;
  }
}

const ALL = { threadPrefix: null, before: null, members: [] } as const;

function headOf({ thread_id, agent, ns, checkpoint_id, parent_id }: StateOutline): string {
  return JSON.stringify({ thread_id, agent_id: agent, ns, checkpoint_id, parent_id }).slice(0, -1);
}

/** In LangGraph's order: by the task's path and id as bytes, then by number. */
function inOrder(heads: readonly WriteHead[]): WriteHead[] {
  const keyed = heads.map((head) => ({ head, path: Buffer.from(head.task_path), task: Buffer.from(head.task_id) }));
  keyed.sort((a, b) => a.path.compare(b.path) || a.task.compare(b.task) || a.head.idx - b.head.idx);
  return keyed.map(({ head }) => head);
}

function positionIn(cursor: string): StatePosition {
  const [position, thread_pk, place] = decodeCursor(CURSOR, cursor, ['text', 'integer', 'text']);
  if (!/^[0-9a-f]*$/.test(String(position))) throw invalidField('cursor', 'must be a next_cursor of the same list');
  return { position: String(position), thread_pk: Number(thread_pk), place: String(place) };
}
