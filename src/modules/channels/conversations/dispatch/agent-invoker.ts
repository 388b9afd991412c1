import { Injectable } from '@nestjs/common';
import { errorCode } from '../../../../common/error-code.js';
import { joinAborts } from '../../../../common/joined-abort.js';
import { timeLimit } from '../../../../common/time-limit.js';
import { trimEndOf } from '../../../../common/trim-end.js';
import { CallWatch } from '../../../../queue/call-watch.js';
import { AgentsService, type AgentAddress } from '../../../runners/agents/agents.service.js';
import type { Channel } from '../../accounts/channel.entity.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { MessagePayload } from '../../messages/inbound-payload.js';
import { readInvocation, unreachable, type Invocation } from './invocation.js';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** A message on its way to an agent. */
interface InvocationRequest {
  /** The same for each try, so that the agent starts one run however often it is asked. */
  idempotencyKey: string;
  /** `{message, thread_id, context}`. */
  body: object;
}

/** Hands messages to agents by `POST {endpoint}/invoke`, at the address that their heartbeats name. */
@Injectable()
export class AgentInvoker {
  /** By the agents' names. */
  readonly calls = new CallWatch();

  constructor(private readonly agents: AgentsService) {}

  /** Whatever the agent does is the answer, not an error. An answer that came too late may have started a run; the next try finds it. */
  async invoke(message: ChannelMessage, channel: Channel, stop: AbortSignal): Promise<Invocation> {
    const agentName = message.agent_name ?? '';
    const address = await this.agents.findAddress(agentName);
    if (address === null) return unreachable('no process with this agent has reported where it is');
    return this.calls.during(agentName, () => post(address, requestOf(message, channel), stop));
  }
}

function requestOf(message: ChannelMessage, channel: Channel): InvocationRequest {
  const context = {
    channel_id: channel.id,
    channel_type: channel.channel_type,
    chat_id: message.chat_id,
    user_id: message.user_id,
    user_name: message.user_name,
    message_id: message.external_id,
    attachments: attachmentsOf(message),
  };
  return { idempotencyKey: message.id, body: { message: message.text, thread_id: message.thread_id, context } };
}

function attachmentsOf({ payload }: ChannelMessage): MessagePayload['attachments'] {
  return payload === null ? [] : ((JSON.parse(payload) as Partial<MessagePayload>).attachments ?? []);
}

/** Never throws. Redirects are not followed: they would carry the token elsewhere. */
async function post(
  { endpoint, invokeToken }: AgentAddress,
  request: InvocationRequest,
  stop: AbortSignal,
): Promise<Invocation> {
  const limit = timeLimit(TIMEOUT_MS);
  const { signal, release } = joinAborts(limit.signal, stop);
  try {
    const response = await fetch(`${trimEndOf(endpoint, '/')}/invoke`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': request.idempotencyKey,
        ...(invokeToken === null ? {} : { authorization: `Bearer ${invokeToken}` }),
      },
      body: JSON.stringify(request.body),
      signal,
    });
    return readInvocation(response.status, response.headers.get('retry-after'), await limitedText(response));
  } catch (error) {
    return unreachable(reasonOf(error, limit.signal.aborted));
  } finally {
    limit.clear();
    release();
  }
}

/** At most so many bytes: what is cut off is no JSON, and so no answer. */
async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_ANSWER_BYTES) break;
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Only the kind of the fault: its words may hold the address. */
function reasonOf(error: unknown, isLate: boolean): string {
  if (isLate) return `the agent did not answer within ${TIMEOUT_MS / 1000} s`;
  const code = errorCode(error) ?? errorCode((error as { cause?: unknown } | null)?.cause);
  return code === null ? 'the agent is not reachable' : `the agent is not reachable (${code})`;
}
