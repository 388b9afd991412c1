import { Injectable } from '@nestjs/common';
import { ApiConnection, type ApiResponse, type ApiRequestOptions } from '../../../client/api-connection.js';
import { ApiRefusalError, readLatest, type LatestResponse, type LatestOptions } from '../../../client/latest-reader.js';
import { RunSettings } from '../run-settings.js';

/** Requests to the API server with this process's token. */
@Injectable()
export class ProcessApi {
  private readonly connection: ApiConnection;

  constructor({ api, apiToken }: RunSettings) {
    this.connection = new ApiConnection(api, apiToken);
  }

  /** @throws as `fetch` if the API is away */
  send(path: string, options: ApiRequestOptions = {}): Promise<ApiResponse> {
    return this.connection.send(path, options);
  }

  /** @throws ApiRefusalError for an unusable response, and as `fetch` if the API is away */
  latest(threadId: string, options: LatestOptions = {}): Promise<LatestResponse> {
    return readLatest(this.connection, threadId, options);
  }

  /** What an interrupted program gets to continue. */
  private async latestToResume(threadId: string, traceId: string): Promise<LatestResponse> {
    try {
      return await this.latest(threadId, { traceId, resume: 'safe' });
    } catch (error) {
      if (!(error instanceof ApiRefusalError) || error.status !== 400) throw error;
      return this.latest(threadId, { traceId, isForResume: true });
    }
  }

  /** As `latest`, with null if the API is away, busy or refuses the token. */
  latestOrNull(threadId: string, options: LatestOptions = {}): Promise<LatestResponse | null> {
    return this.orNull(() => this.latest(threadId, options));
  }

  latestToResumeOrNull(threadId: string, traceId: string): Promise<LatestResponse | null> {
    return this.orNull(() => this.latestToResume(threadId, traceId));
  }

  private async orNull(ask: () => Promise<LatestResponse>): Promise<LatestResponse | null> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ApiRefusalError && !error.isPassing && error.status !== 401) return { kind: 'unknown' };
      return null;
    }
  }
}
