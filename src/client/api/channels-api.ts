import { itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';

type Channel = Schemas['ChannelResponseDto'];

/** Messaging platforms. With a token of scope `admin`; for reads also `reader`. */
export class ChannelsApi {
  constructor(private readonly requests: ApiRequests) {}

  /** The platforms that the server supports, with their settings. */
  platforms(options: CallOptions = {}): Promise<Schemas['PlatformListDto']> {
    return this.requests.send('get', '/v1/channels/platforms', options);
  }

  list(query: QueryOf<'/v1/channels'> = {}, options: CallOptions = {}): Promise<Schemas['ChannelListResponseDto']> {
    return this.requests.send('get', '/v1/channels', { query, ...options });
  }

  /** Only this response contains the verification code. */
  create(
    channel: Schemas['CreateChannelDto'],
    options: CallOptions = {},
  ): Promise<Schemas['CreatedChannelResponseDto']> {
    return this.requests.send('post', '/v1/channels', { body: channel, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<Channel> {
    return this.requests.send('get', '/v1/channels/{id}', { path: { id }, ...options });
  }

  /** Changes the given fields. */
  update(id: string, changes: Schemas['UpdateChannelDto'], options: CallOptions = {}): Promise<Channel> {
    return this.requests.send('patch', '/v1/channels/{id}', { path: { id }, body: changes, ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.requests.send('delete', '/v1/channels/{id}', { path: { id }, ...options });
  }

  /** Replaces all settings of the platform, for example after its token was changed. */
  replaceConfig(id: string, config: Schemas['ReplaceConfigDto'], options: CallOptions = {}): Promise<Channel> {
    return this.requests.send('put', '/v1/channels/{id}/config', { path: { id }, body: config, ...options });
  }

  bindAgent(
    id: string,
    binding: Schemas['BindAgentDto'],
    options: CallOptions = {},
  ): Promise<Schemas['ChannelAgentDto']> {
    return this.requests.send('post', '/v1/channels/{id}/agents', { path: { id }, body: binding, ...options });
  }

  unbindAgent(id: string, name: string, options: CallOptions = {}): Promise<void> {
    return this.requests.send('delete', '/v1/channels/{id}/agents/{name}', { path: { id, name }, ...options });
  }

  renewVerificationCode(id: string, options: CallOptions = {}): Promise<Schemas['VerificationCodeDto']> {
    return this.requests.send('post', '/v1/channels/{id}/verification-code', { path: { id }, ...options });
  }

  verify(id: string, code: string, options: CallOptions = {}): Promise<Schemas['VerifiedChannelResponseDto']> {
    return this.requests.send('post', '/v1/channels/{id}/verify', { path: { id }, body: { code }, ...options });
  }

  /** Checks the settings with the platform. */
  check(id: string, options: CallOptions = {}): Promise<Schemas['AccountDto']> {
    return this.requests.send('post', '/v1/channels/{id}/check', { path: { id }, ...options });
  }

  /** Registers this server's webhook with the platform. @param baseUrl how the platform reaches it */
  setUpWebhook(id: string, baseUrl: string, options: CallOptions = {}): Promise<Schemas['WebhookSetupResponseDto']> {
    const body = { base_url: baseUrl };
    return this.requests.send('post', '/v1/channels/{id}/setup-webhook', { path: { id }, body, ...options });
  }

  /** One page of messages received and sent, newest first. */
  messages(
    id: string,
    query: QueryOf<'/v1/channels/{id}/messages'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ChannelMessageListDto']> {
    return this.requests.send('get', '/v1/channels/{id}/messages', { path: { id }, query, ...options });
  }

  eachMessage(
    id: string,
    query: QueryOf<'/v1/channels/{id}/messages'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['ChannelMessageDto'], void, undefined> {
    return itemsOf((page) => this.messages(id, page, options), query);
  }
}
