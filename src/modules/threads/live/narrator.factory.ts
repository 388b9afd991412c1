import { Injectable } from '@nestjs/common';
import { ElementsRepository } from '../reading/elements.repository.js';
import { ListTextsRepository } from '../reading/list-texts.repository.js';
import { LiveRepository, type LiveThread } from './live.repository.js';
import { Narrator } from './narrator.js';

/** Makes a narrator for each reader of a live stream. */
@Injectable()
export class NarratorFactory {
  constructor(
    private readonly live: LiveRepository,
    private readonly elements: ElementsRepository,
    private readonly texts: ListTextsRepository,
  ) {}

  /** @param toldSeq the change up to which the reader was told everything; null for one who begins with the latest checkpoint */
  async create({ pk, nextMessage }: LiveThread, toldSeq: number | null): Promise<Narrator> {
    const toldPlace = toldSeq === null ? nextMessage - 1 : await this.live.highestPlace(pk, toldSeq);
    const { live, elements, texts } = this;
    return new Narrator({ live, elements, texts }, toldPlace);
  }
}
