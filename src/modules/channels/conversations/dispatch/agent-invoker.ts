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

/** Passes chat messages to agents, at the address in their heartbeats. */
@Injectable()
export class AgentInvoker {
  /** By agent name. */
  readonly calls = new CallWatch();

  constructor(
    private readonly agents: AgentsService,
    private readonly caller: AgentCallsService,
    private readonly retries: RunRetriesService,
  ) {}

  /** Any failure of the agent is the result, not an error; see `AgentCallsService.invoke`. */
  async invoke(message: ChannelMessage, channel: Channel, stop: AbortSignal): Promise<Invocation> {
    const agentName = message.agent_name ?? '';
    const address = await this.agents.findAddress(agentName);
    if (address === null) return AWAY;
    const request = { idempotencyKey: message.id, body: JSON.stringify(bodyOf(message, channel)) };
    return this.calls.during(agentName, () => this.caller.invoke(address, request, stop));
  }

  /** Asks again for the stored retry of the message's run. */
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
  // The message's own id, so that all tries mean one run, whichever process of the agent is asked.
  return { message: message.text, thread_id: message.thread_id, run_id: message.id, context };
}

/** As stored when the message's turn began; an earlier version stored only attachments. */
function contentOf({ payload }: ChannelMessage): object {
  const { attachments = [], context } = JSON.parse(payload ?? '{}') as Partial<MessagePayload>;
  return context ?? { attachments };
}
