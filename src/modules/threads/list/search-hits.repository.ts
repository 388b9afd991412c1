import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { distinctValuesSql } from '../../../database/distinct-values.sql.js';
import { ThreadVisibilityService } from '../visibility/thread-visibility.service.js';
import type { SearchedPart } from './searched-part.js';

/** The names that contain a searched text; null if there are too many names. */
export interface SearchHits {
  models: readonly string[] | null;
  agentIds: readonly string[] | null;
}

/** Names searched for the text. */
const MAX_NAMES = 1000;
/** Names per statement. */
const MAX_HITS = 100;

/** Finds the models and agents whose names contain a text. Many threads share these few names, so only ids are searched one by one. */
@Injectable()
export class SearchHitsRepository {
  constructor(
    private readonly database: Database,
    private readonly visibility: ThreadVisibilityService,
  ) {}

  async hitsOf(part: SearchedPart): Promise<SearchHits> {
    const [models, agentIds] = await Promise.all([this.models(), this.visibility.allAgents()]);
    return { models: hitsAmong(models, part), agentIds: hitsAmong(agentIds, part) };
  }

  /** All models of threads; null if there are too many. */
  private async models(): Promise<readonly string[] | null> {
    const source = { table: 'thread', column: 'model', index: 'thread_by_model' };
    const sql = distinctValuesSql(this.database.dialect, source, MAX_NAMES + 1);
    const rows = await this.database.read<{ value: string }>(sql);
    return rows.length > MAX_NAMES ? null : rows.map(({ value }) => value);
  }
}

function hitsAmong(names: readonly string[] | null, part: SearchedPart): readonly string[] | null {
  const hits = names?.filter((name) => part.isIn(name));
  return hits && hits.length <= MAX_HITS ? hits : null;
}
