import { itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';

type Notice = Schemas['NoticeResponseDto'];
type Delivery = Schemas['NoticeDeliveryDto'];

/** Notices of events, as signed calls to other services or posts in chats. With a token of scope `admin`. */
export class NoticesApi {
  constructor(private readonly requests: ApiRequests) {}

  /** Also with scope `reader`. */
  list(options: CallOptions = {}): Promise<Schemas['NoticeListResponseDto']> {
    return this.requests.send('get', '/v1/notices', options);
  }

  /** Only this response contains the secret. */
  create(notice: Schemas['CreateNoticeDto'], options: CallOptions = {}): Promise<Schemas['CreatedNoticeResponseDto']> {
    return this.requests.send('post', '/v1/notices', { body: notice, ...options });
  }

  /** Also with scope `reader`. */
  get(id: string, options: CallOptions = {}): Promise<Notice> {
    return this.requests.send('get', '/v1/notices/{id}', { path: { id }, ...options });
  }

  /** Changes the given fields. */
  update(id: string, changes: Schemas['UpdateNoticeDto'], options: CallOptions = {}): Promise<Notice> {
    return this.requests.send('patch', '/v1/notices/{id}', { path: { id }, body: changes, ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.requests.send('delete', '/v1/notices/{id}', { path: { id }, ...options });
  }

  /** Sends the event `test` at once and returns the result. */
  test(id: string, options: CallOptions = {}): Promise<Schemas['NoticeTestResponseDto']> {
    return this.requests.send('post', '/v1/notices/{id}/test', { path: { id }, ...options });
  }

  /** Creates a new secret. The old one also signs for another 24 hours. */
  renewSecret(id: string, options: CallOptions = {}): Promise<Schemas['NoticeSecretResponseDto']> {
    return this.requests.send('post', '/v1/notices/{id}/secret', { path: { id }, ...options });
  }

  /** One page, newest first. Also with scope `reader`. */
  deliveries(
    id: string,
    query: QueryOf<'/v1/notices/{id}/deliveries'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['NoticeDeliveryListDto']> {
    return this.requests.send('get', '/v1/notices/{id}/deliveries', { path: { id }, query, ...options });
  }

  eachDelivery(
    id: string,
    query: QueryOf<'/v1/notices/{id}/deliveries'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((page) => this.deliveries(id, page, options), query);
  }

  retryDelivery(id: string, deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    const path = { id, deliveryId };
    return this.requests.send('post', '/v1/notices/{id}/deliveries/{deliveryId}/retry', { path, ...options });
  }
}
