import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../../database/database.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { News } from '../notice-news.js';
import { NoticeWakesService } from '../sending/notice-wakes.service.js';
import { NoticeMarksRepository, type MarkKind } from './notice-marks.repository.js';

/** Stores news in the transaction that decides which server tells them. */
@Injectable()
export class MarkedNewsService {
  constructor(
    readonly marks: NoticeMarksRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly database: Database,
    private readonly wakes: NoticeWakesService,
  ) {}

  /** Unless told before. @param createdBeforeMs excludes newer notices; null for none */
  tellOnce(kind: MarkKind, subject: string, news: News, createdBeforeMs: number | null): Promise<void> {
    return this.store(news, createdBeforeMs, (session) => this.marks.mark(session, kind, subject, news.atMs));
  }

  tellEnd(kind: MarkKind, subject: string, news: News, createdBeforeMs: number): Promise<void> {
    return this.store(news, createdBeforeMs, (session) => this.marks.unmark(session, kind, subject));
  }

  private async store(
    news: News,
    createdBeforeMs: number | null,
    isMine: (session: SqlSession) => Promise<boolean>,
  ): Promise<void> {
    const { sql, params } = this.deliveries.insertStatement(news, createdBeforeMs);
    await this.database.transaction(async (session) => {
      if (await isMine(session)) await session.query(sql, params);
    });
    this.wakes.wake();
  }
}
