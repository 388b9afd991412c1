import type { INestApplicationContext } from '@nestjs/common';
import type { FastRoute } from '../../http/fast-lane.js';
import { StateClearQueryDto } from './dto/state-query.dto.js';
import { StateController } from './state.controller.js';

/** Ids that need no decoding, except for the colon, which clients encode. */
const PLAIN_STEP = /^\/v1\/runners\/threads\/((?:[\w.~:-]|%3A)+)\/state(?:\?agent_id=((?:[\w.~:-]|%3A)+))?$/;

/** The route that graphs call at every step. */
export function stepRoute(app: INestApplicationContext): FastRoute {
  const controller = app.get(StateController);
  return {
    ...{ method: 'POST', path: '/v1/runners/threads/:thread_id/state' },
    ...{ controller: StateController, handler: controller.putStep },
    match(url, request) {
      const [, threadId, agentId] =
        PLAIN_STEP.exec(url)?.map((id: string | undefined) => id?.replaceAll('%3A', ':')) ?? [];
      if (threadId === undefined) return null;
      request.params = { thread_id: threadId };
      const query = new StateClearQueryDto();
      if (agentId !== undefined) query.agent_id = agentId;
      return (one, response) =>
        controller.putStep(threadId, query, one, one.rawBody ?? Buffer.alloc(0), one.principal!, response);
    },
  };
}
