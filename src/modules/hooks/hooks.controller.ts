import { applyDecorators, Controller, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse as ResponseDoc,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '../../common/principal.js';
import { Caller, Quiet, Scopes } from '../../http/access.decorators.js';
import type { ApiResponse } from '../../http/api-request.js';
import { RawBody, RawBytes } from '../../http/body.decorators.js';
import { longPoll } from '../../http/long-poll.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { HookInputDto, HookOutputDto, HookQueryDto, HookWaitingDto } from './dto/hook.dto.js';
import { readHookBody } from './hook-body.js';
import { sendHookOutcome } from './hooks.responses.js';
import { HooksService } from './hooks.service.js';

/** Tools write whole files. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const DESCRIPTION =
  'Takes what the platform gives to its hooks, and records it: the session is a thread, a turn a run, a tool use a step. A request for permission becomes an approval, which people decide as any other, except for `AskUserQuestion` of Claude Code: the terminal asks. What shows that the terminal has decided (the tool was used, the turn is over) supersedes the approval. The same `Idempotency-Key` gets the same decision; without it every request is another one. Codes of refusals: `chat_not_allowed` (403), `idempotency_key_reused` (422).';

/** Both platforms' hooks are the same but for the form of what they send. */
function HookRoute(path: string, summary: string): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    Scopes('runner'),
    Quiet(),
    RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' }),
    ApiOperation({ summary, description: DESCRIPTION }),
    ApiHeader({ name: 'Idempotency-Key', required: false, description: 'Tells this request from all others.' }),
    ApiBody({ type: HookInputDto }),
    ApiOkResponse({ type: HookOutputDto, description: 'The decision: print it.' }),
    ResponseDoc({ status: 202, type: HookWaitingDto, description: 'Nobody has decided. Ask again with the same key.' }),
    ApiNoContentResponse({ description: 'Nothing to print: the event is recorded, or the terminal is to ask.' }),
    ApiProblems(400, 409, 413, 415, 422, 503, 507),
  );
}

/** Hooks of coding agents. */
@ApiTags('runners')
@Controller('v1/runners/hooks')
export class HooksController {
  constructor(private readonly hooks: HooksService) {}

  @HookRoute('claude', 'Answer a hook of Claude Code')
  async claude(
    @Query() query: HookQueryDto,
    @Headers('idempotency-key') key: string | undefined,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const [hook, options] = [readHookBody(body, 'claude'), query.toOptions(key)];
    await sendHookOutcome(response, await this.hooks.take(hook, options, caller, longPoll(response)));
  }

  @HookRoute('codex', 'Answer a hook of Codex')
  async codex(
    @Query() query: HookQueryDto,
    @Headers('idempotency-key') key: string | undefined,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const [hook, options] = [readHookBody(body, 'codex'), query.toOptions(key)];
    await sendHookOutcome(response, await this.hooks.take(hook, options, caller, longPoll(response)));
  }
}
