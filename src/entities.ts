import { Approval } from './modules/approvals/approval.entity.js';
import { ApprovalRuleUse } from './modules/approvals/rules/approval-rule-use.entity.js';
import { ApprovalRule } from './modules/approvals/rules/approval-rule.entity.js';
import { AttachmentPiece } from './modules/channels/attachments/attachment-piece.entity.js';
import { Attachment } from './modules/channels/attachments/attachment.entity.js';
import { ChannelAgent } from './modules/channels/accounts/channel-agent.entity.js';
import { ChannelChat } from './modules/channels/messages/channel-chat.entity.js';
import { ChannelCodeTry } from './modules/channels/accounts/channel-code-try.entity.js';
import { ChannelMessage } from './modules/channels/messages/channel-message.entity.js';
import { ChannelSession } from './modules/channels/messages/channel-session.entity.js';
import { Channel } from './modules/channels/accounts/channel.entity.js';
import { Instance } from './modules/health/instance.entity.js';
import { NoticeDelivery } from './modules/notices/deliveries/notice-delivery.entity.js';
import { NoticeMark } from './modules/notices/watching/notice-mark.entity.js';
import { Notice } from './modules/notices/notice.entity.js';
import { Agent } from './modules/runners/agents/agent.entity.js';
import { QueuedRunRow } from './modules/runners/agents/queued-run.entity.js';
import { Effect } from './modules/effects/effect.entity.js';
import { StateCheckpoint } from './modules/graph-states/state-checkpoint.entity.js';
import { StateLeftover } from './modules/graph-states/state-leftover.entity.js';
import { StateValue } from './modules/graph-states/state-value.entity.js';
import { StateWrite } from './modules/graph-states/state-write.entity.js';
import { Checkpoint } from './modules/threads/entities/checkpoint.entity.js';
import { DeletedThread } from './modules/threads/entities/deleted-thread.entity.js';
import { DeletionNotice } from './modules/threads/entities/deletion-notice.entity.js';
import { Message } from './modules/threads/entities/message.entity.js';
import { Run } from './modules/threads/entities/run.entity.js';
import { RunSum } from './modules/threads/entities/run-sum.entity.js';
import { SeenEvent } from './modules/threads/entities/seen-event.entity.js';
import { Thread } from './modules/threads/entities/thread.entity.js';
import { ThreadAgent } from './modules/threads/entities/thread-agent.entity.js';
import { ThreadEvent } from './modules/threads/entities/thread-event.entity.js';
import { RunLease } from './modules/threads/leases/run-lease.entity.js';
import { AccessToken } from './modules/tokens/access-token.entity.js';
import { ConsoleCode } from './modules/tokens/sessions/console-code.entity.js';
import { ConsoleSession } from './modules/tokens/sessions/console-session.entity.js';
import { KeyCheck } from './modules/tokens/key-check.entity.js';

/** All entities. TypeORM compares them with the schema from the migrations. Kept here because `database` imports no module. */
export const ENTITIES = [
  ...[Thread, ThreadAgent, Run, RunLease, RunSum, Checkpoint, Message, ThreadEvent, SeenEvent],
  ...[DeletedThread, DeletionNotice],
  ...[Approval, ApprovalRule, ApprovalRuleUse, Effect, StateCheckpoint, StateValue, StateWrite, StateLeftover],
  ...[AccessToken, ConsoleCode, ConsoleSession, KeyCheck, Instance, Agent, QueuedRunRow],
  ...[Channel, ChannelAgent, ChannelMessage, ChannelSession, ChannelChat, ChannelCodeTry],
  ...[Attachment, AttachmentPiece],
  ...[Notice, NoticeDelivery, NoticeMark],
];
