import { lookup } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { ChatPostsService, type PostPlace } from '../channels/conversations/chat-posts.service.js';
import { addressFault, hostOf, urlFault } from './notice-address.js';
import { chatNotAllowed, urlNotAllowed } from './notices.errors.js';
import { NoticeCallsService } from './sending/notice-calls.service.js';

/** Checks a notice's target when a person sets it. Each call is checked again. */
@Injectable()
export class NoticeTargetsService {
  constructor(
    private readonly calls: NoticeCallsService,
    private readonly posts: ChatPostsService,
  ) {}

  /** @throws DomainError `chat_not_allowed` */
  async checkChat(chat: PostPlace): Promise<void> {
    if (!(await this.posts.mayPost(chat))) throw chatNotAllowed();
  }

  /**
   * Accepts a name that does not resolve now: it is resolved again for each call.
   * @throws DomainError `url_not_allowed`
   */
  async checkUrl(url: string): Promise<void> {
    const { rules } = this.calls;
    const fault = urlFault(url, rules);
    if (fault !== null) throw urlNotAllowed(fault);
    const host = hostOf(new URL(url));
    const addresses = await lookup(host, { all: true }).catch(() => []);
    for (const { address } of addresses) {
      const found = addressFault(address, host, rules);
      if (found !== null) throw urlNotAllowed(found);
    }
  }
}
