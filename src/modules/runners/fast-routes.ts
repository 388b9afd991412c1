import type { INestApplicationContext } from '@nestjs/common';
import type { FastHandler, FastRoute } from '../../http/fast-lane.js';
import { LatestQueryDto } from './dto/latest-query.dto.js';
import { RunnersController } from './runners.controller.js';

const EVENTS = ['/v1/runners/events', '/internal/v1/runners/events'];
const LATEST = '/v1/runners/threads/:thread_id/latest';
/** Ids that need no decoding. */
const PLAIN_LATEST = /^\/v1\/runners\/threads\/([\w.~:-]+)\/latest(?:\?(.+))?$/;
const PLAIN_FILTER = /^(trace_id|agent_id)=([\w.~:-]+)$/;

/** The routes that agents call at every step. */
export function fastRoutes(app: INestApplicationContext): FastRoute[] {
  const controller = app.get(RunnersController);
  const report: FastHandler = (request, response) =>
    controller.report(request, request.rawBody ?? Buffer.alloc(0), request.principal!, response);
  const reports = EVENTS.map((path): FastRoute => ({
    ...{ method: 'POST', path, controller: RunnersController, handler: controller.report },
    match: (url) => (url === path ? report : null),
  }));
  return [...reports, latestRoute(controller)];
}

function latestRoute(controller: RunnersController): FastRoute {
  return {
    ...{ method: 'GET', path: LATEST, controller: RunnersController, handler: controller.latest },
    match(url, request) {
      const [, threadId, filters] = PLAIN_LATEST.exec(url) ?? [];
      const query = threadId === undefined ? null : queryOf(filters);
      if (threadId === undefined || query === null) return null;
      request.params = { thread_id: threadId };
      return ({ headers, principal }, response) =>
        controller.latest(threadId, query, headers['if-none-match'], principal!, response);
    },
  };
}

/** Null if anything must be decoded or checked. */
function queryOf(filters: string | undefined): LatestQueryDto | null {
  const query = new LatestQueryDto();
  for (const filter of filters?.split('&') ?? []) {
    const [, name, value] = PLAIN_FILTER.exec(filter) ?? [];
    if (name === undefined || query[name as 'trace_id' | 'agent_id'] !== undefined) return null;
    query[name as 'trace_id' | 'agent_id'] = value!;
  }
  return query;
}
