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
  'Records the input of a hook: the session becomes a thread, each turn a run, each tool use a step. A permission request becomes an approval, which people decide like any other. Questions of Claude Code (`PreToolUse` of `AskUserQuestion`) become a question, which people answer. An event that shows that the terminal has decided (the tool ran, the turn ended) supersedes the approval. Requests with the same `Idempotency-Key` get the same decision; without the header, each request is new. Error codes: `chat_not_allowed` (403), `idempotency_key_reused` (422).';

/** The hooks of both platforms differ only in the form of their input. */
function HookRoute(path: string, summary: string): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    Scopes('runner'),
    Quiet(),
    RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' }),
    ApiOperation({ summary, description: DESCRIPTION }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'Identifies a resent request.',
    }),
    ApiBody({ type: HookInputDto }),
    ApiOkResponse({ type: HookOutputDto, description: 'The decision: print it.' }),
    ResponseDoc({ status: 202, type: HookWaitingDto, description: 'No decision yet. Ask again with the same key.' }),
    ApiNoContentResponse({ description: 'Nothing to print: the event is recorded, or the terminal asks.' }),
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
    await sendHookOutcome(
      response,
      await this.hooks.take(readHookBody(body, 'claude'), query.toOptions(key), caller, longPoll(response)),
    );
  }

  @HookRoute('codex', 'Answer a hook of Codex')
  async codex(
    @Query() query: HookQueryDto,
    @Headers('idempotency-key') key: string | undefined,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendHookOutcome(
      response,
      await this.hooks.take(readHookBody(body, 'codex'), query.toOptions(key), caller, longPoll(response)),
    );
  }
}
