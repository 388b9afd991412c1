import { Injectable } from '@nestjs/common';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { ElementCache } from './element-cache.js';
import { ElementLog } from './element-log.js';
import { ElementsRepository } from './elements.repository.js';

export interface ElementLogs {
  history: ElementLog;
  meta: ElementLog;
}

@Injectable()
export class ThreadElements {
  constructor(
    private readonly repository: ElementsRepository,
    private readonly cache: ElementCache,
  ) {}

  of(threadPk: number): ElementLogs {
    return {
      history: new ElementLog(this.repository, this.cache, { threadPk, list: HISTORY }),
      meta: new ElementLog(this.repository, this.cache, { threadPk, list: HISTORY_META }),
    };
  }
}
