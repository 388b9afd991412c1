import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { invalidField } from '../../../common/domain-error.js';
import { idFault } from '../../../common/id-fault.js';
import { readIdempotencyKey } from '../../../common/contract/start-body.js';
import type { HookOptions } from '../hooks.service.js';

/** Query of a hook. */
export class HookQueryDto {
  @ApiPropertyOptional({
    description:
      'The agent for which the session is recorded. Default: the only agent of the token, otherwise `claude-code` or `codex`.',
    example: 'claude-code',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  @ApiPropertyOptional({
    description: "Seconds (at most 60) to wait for a person's decision.",
    example: '30',
  })
  @IsOptional()
  @Matches(/^([0-5]?\d(\.\d{1,3})?|60(\.0{1,3})?)$/, { message: 'must be a number of seconds from 0 to 60' })
  wait?: string;

  @ApiPropertyOptional({
    description:
      "Seconds (above 0, below 100000) that the hook waits in total. After that the terminal asks, and the approval can no longer be decided. For one `Idempotency-Key`, the first request's value counts. Default: 600.",
    example: '590',
  })
  @IsOptional()
  @Matches(/^(?!0*(\.0*)?$)\d{1,5}(\.\d{1,3})?$/, {
    message: 'must be a number of seconds above 0 and below 100000',
  })
  timeout?: string;

  @ApiPropertyOptional({
    description:
      'Also asks in a chat of this channel. The agent must be bound to the channel, and somebody who may decide must have written to the bot there.',
    example: '7b0c5b5e-3f6a-4f6e-9a53-0d8a4a5f9f51',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  channel_id?: string;

  @ApiPropertyOptional({ description: "The platform's id of the chat.", example: '4711' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  chat_id?: string;

  /** @throws DomainError `invalid` */
  toOptions(key: string | undefined): HookOptions {
    const fault = this.agent_id === undefined ? null : idFault(this.agent_id);
    if (fault !== null) throw invalidField('agent_id', fault);
    const { channel_id: channelId, chat_id: chatId } = this;
    if ((channelId === undefined) !== (chatId === undefined)) {
      throw invalidField(chatId === undefined ? 'chat_id' : 'channel_id', 'must be there with the other of the two');
    }
    return {
      chat: channelId === undefined || chatId === undefined ? null : { channelId, chatId },
      key: readIdempotencyKey(key),
      agentId: this.agent_id ?? null,
      timeoutSeconds: this.timeout === undefined ? null : Number(this.timeout),
      waitMs: Math.round(Number(this.wait ?? 0) * 1000),
    };
  }
}

/** The hook's input, as the platform passes it on standard input. */
export class HookInputDto {
  @ApiProperty({ example: 'PermissionRequest' })
  hook_event_name: string;

  @ApiProperty({
    description: "The session id. The thread's id is `claude:` or `codex:`, followed by it.",
    example: '00893aaf',
  })
  session_id: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Bash' })
  tool_name?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    example: { command: 'npm publish' },
  })
  tool_input?: unknown;
}

class HookDecisionDto {
  @ApiProperty({ enum: ['allow', 'deny'] })
  behavior: string;

  @ApiPropertyOptional({ description: 'Why it was rejected.', example: 'Not on a Friday.' })
  message?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'Only for Claude Code: the input as edited by a person. Always present for `ExitPlanMode`, otherwise Claude Code ignores the decision.',
  })
  updatedInput?: unknown;
}

class HookSpecificOutputDto {
  @ApiProperty({ example: 'PermissionRequest' })
  hookEventName: string;

  @ApiPropertyOptional({ type: () => HookDecisionDto, description: 'For `PermissionRequest`.' })
  decision?: HookDecisionDto;

  @ApiPropertyOptional({
    enum: ['allow', 'deny'],
    description: 'For `PreToolUse`, whose questions were answered or declined.',
  })
  permissionDecision?: string;

  @ApiPropertyOptional({ description: 'Why they were declined.', example: 'Decide yourself.' })
  permissionDecisionReason?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The input with the member `answers`, by the texts of the questions.',
  })
  updatedInput?: unknown;
}

/** What the hook prints, in the platform's own form. */
export class HookOutputDto {
  @ApiProperty({ type: () => HookSpecificOutputDto })
  hookSpecificOutput: HookSpecificOutputDto;
}

/** An approval that waits. */
export class HookWaitingDto {
  @ApiProperty({ enum: ['pending'] })
  status: string;

  @ApiProperty({ example: 'claude:00893aaf' })
  thread_id: string;

  @ApiProperty({ example: 'ask-4f2c' })
  trace_id: string;

  @ApiProperty({ type: 'integer', example: 0 })
  step: number;
}
