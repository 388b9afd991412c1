import { Injectable } from '@nestjs/common';
import { AgentsService } from '../../../runners/agents/agents.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { MessagePayload } from '../../messages/inbound-payload.js';
import { AgentCallWatch } from './agent-call-watch.js';
import { AgentInvoker } from './agent-invoker.js';
import { unreachable, type Invocation } from './invocation.js';

/** Hands messages to agents, where their heartbeats say that they are. */
@Injectable()
export class AgentCallsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly invoker: AgentInvoker,
    private readonly watch: AgentCallWatch,
  ) {}

  async call(message: ChannelMessage, { channel }: OpenChannel, stop: AbortSignal): Promise<Invocation> {
    const agentName = message.agent_name ?? '';
    const address = await this.agents.findAddress(agentName);
    if (address === null) return unreachable('no process with this agent has reported where it is');
    const context = {
      channel_id: channel.id,
      channel_type: channel.channel_type,
      chat_id: message.chat_id,
      user_id: message.user_id,
      user_name: message.user_name,
      message_id: message.external_id,
      attachments: attachmentsOf(message),
    };
    const body = { message: message.text, thread_id: message.thread_id, context };
    const request = { idempotencyKey: message.id, body };
    return this.watch.during(agentName, () => this.invoker.invoke(address, request, stop));
  }
}

function attachmentsOf({ payload }: ChannelMessage): MessagePayload['attachments'] {
  return payload === null ? [] : ((JSON.parse(payload) as Partial<MessagePayload>).attachments ?? []);
}
