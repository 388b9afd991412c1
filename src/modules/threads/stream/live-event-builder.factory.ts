import { Injectable } from '@nestjs/common';
import { ElementsRepository } from '../message-log/elements.repository.js';
import { ListTextsRepository } from '../message-log/list-texts.repository.js';
import { LiveRepository, type LiveThread } from './live.repository.js';
import { LiveEventBuilder } from './live-event-builder.js';

@Injectable()
export class LiveEventBuilderFactory {
  constructor(
    private readonly live: LiveRepository,
    private readonly elements: ElementsRepository,
    private readonly texts: ListTextsRepository,
  ) {}

  /** @param toldSeq the last change that the reader has fully received; null for a reader that begins with the latest checkpoint */
  async create({ pk, nextMessage }: LiveThread, toldSeq: number | null): Promise<LiveEventBuilder> {
    const publishedPlace = toldSeq === null ? nextMessage - 1 : await this.live.highestPlace(pk, toldSeq);
    const { live, elements, texts } = this;
    return new LiveEventBuilder({ live, elements, texts }, publishedPlace);
  }
}
