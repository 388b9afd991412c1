import { Injectable } from '@nestjs/common';
import { CallWatch } from '../../../../queue/call-watch.js';
import { AgentCallsService, type Invocation } from '../../../runners/agents/agent-calls.service.js';
import { RunRetriesService } from '../../../runners/agents/run-retries.service.js';
import { AgentsService } from '../../../runners/agents/agents.service.js';
import type { Channel } from '../../accounts/channel.entity.js';
import { retryKeyOf, type ChannelMessage, type MessagePayload } from '../../messages/channel-message.entity.js';

const AWAY: Invocation = {
  kind: 'away',
  reason: 'no process with this agent has reported where it is',
  ...{ status: null, retryAfterMs: null, mayHaveTaken: false },
};

/** Hands messages of chats to agents, at the address that their heartbeats name. */
@Injectable()
export class AgentInvoker {
  /** By the agents' names. */
  readonly calls = new CallWatch();

  constructor(
    private readonly agents: AgentsService,
    private readonly caller: AgentCallsService,
    private readonly retries: RunRetriesService,
  ) {}

  /** Whatever the agent does is the answer, not an error; see `AgentCallsService.invoke`. */
  async invoke(message: ChannelMessage, channel: Channel, stop: AbortSignal): Promise<Invocation> {
    const agentName = message.agent_name ?? '';
    const address = await this.agents.findAddress(agentName);
    if (address === null) return AWAY;
    const request = { idempotencyKey: message.id, body: JSON.stringify(bodyOf(message, channel)) };
    return this.calls.during(agentName, () => this.caller.invoke(address, request, stop));
  }

  /** Asks once more for the retry of the message's run that is noted with it. */
  retry(message: ChannelMessage, stop: AbortSignal): Promise<Invocation> {
    const { thread_id, run_id, agent_name, since_seq } = message;
    const ids = { threadId: thread_id ?? '', traceId: run_id ?? '', agentId: agent_name };
    const retry = { ...ids, key: retryKeyOf(message), sinceSeq: Number(since_seq) };
    return this.calls.during(agent_name ?? '', () => this.retries.askAgain(retry, stop));
  }
}

function bodyOf(message: ChannelMessage, channel: Channel): object {
  const context = {
    channel_id: channel.id,
    channel_type: channel.channel_type,
    chat_id: message.chat_id,
    user_id: message.user_id,
    user_name: message.user_name,
    message_id: message.external_id,
    ...contentOf(message),
  };
  // The message's own id, so that every try of it means one run, whichever process of the agent is asked.
  return { message: message.text, thread_id: message.thread_id, run_id: message.id, context };
}

/** As it was stored when the message had its turn; an earlier version told only of attachments. */
function contentOf({ payload }: ChannelMessage): object {
  const { attachments = [], context } = JSON.parse(payload ?? '{}') as Partial<MessagePayload>;
  return context ?? { attachments };
}
