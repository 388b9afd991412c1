import type { ApiResponse } from '../../http/api-request.js';
import { sendJsonText } from '../../http/send-json.js';
import type { HookOutcome } from './hooks.service.js';

/** 200 with what the hook prints, 202 while people have not decided, 204 if the hook prints nothing. */
export function sendHookOutcome(response: ApiResponse, outcome: HookOutcome): void | Promise<void> {
  if (outcome.kind === 'decided') return sendJsonText(response, outcome.output);
  response.statusCode = outcome.kind === 'waiting' ? 202 : 204;
  if (outcome.kind === 'silent') return void response.end();
  const { threadId, traceId, step } = outcome.asked;
  return sendJsonText(response, JSON.stringify({ status: 'pending', thread_id: threadId, trace_id: traceId, step }));
}
