import { Controller, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse as ResponseDoc,
  ApiTags,
} from '@nestjs/swagger';
import { BoundReadersSee, Caller, Quiet, Scopes } from '../../http/access.decorators.js';
import type { ApiResponse } from '../../http/api-request.js';
import type { Principal } from '../../common/principal.js';
import { RawBody, RawBytes } from '../../http/body.decorators.js';
import { longPoll } from '../../http/long-poll.js';
import { ApiProblemOf, ApiProblems } from '../../http/problem.dto.js';
import { sendJsonText } from '../../http/send-json.js';
import {
  ClaimEffectDto,
  EffectConflictDto,
  EffectDto,
  EffectListDto,
  EffectMismatchDto,
  SettleEffectDto,
} from './dto/effect.dto.js';
import {
  AllEffectsQueryDto,
  EffectAddressQueryDto,
  EffectQueryDto,
  ThreadEffectsQueryDto,
} from './dto/effect-query.dto.js';
import { readClaim, readSettling } from './effect-body.js';
import { sendClaim, sendEffect } from './effects.responses.js';
import { EffectsQueryService } from './effects-query.service.js';
import { EffectsService } from './effects.service.js';

/** Room for a result and an error of 1 MiB each, and for too large ones that must be reported. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  required: false,
  description: 'The ETag of the last response.',
} as const;
const KEY = { name: 'key', description: 'The key, percent-encoded.', example: 'refund:order-4711' } as const;
const UNCHANGED = { status: 304, description: 'The ETag still matches If-None-Match.' } as const;

@ApiTags('effects')
@Controller('v1')
export class EffectsController {
  constructor(
    private readonly effects: EffectsService,
    private readonly queries: EffectsQueryService,
  ) {}

  @Post('runners/threads/:thread_id/effects')
  @Scopes('runner')
  @Quiet()
  @RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' })
  @ApiOperation({
    summary: 'Claim an effect',
    description:
      'An agent claims a tool call that changes the world before it makes the call, and settles it afterwards, so that no settled call runs twice, whichever process dies. The server responds once the claim is durable. Error codes: `effect_in_flight`, `effect_in_doubt`, `approval_pending`, `effect_rejected`, `approval_superseded`, `stale_fence`, `effect_settled` (409), `effect_mismatch`, `effect_not_approved` (422).',
  })
  @ApiBody({ type: ClaimEffectDto })
  @ApiCreatedResponse({ type: EffectDto, description: 'Run the tool. `Location` is the address of the effect.' })
  @ApiOkResponse({
    type: EffectDto,
    description: 'The call is completed already: do not run the tool, use this result.',
  })
  @ApiProblemOf(409, EffectConflictDto)
  @ApiProblemOf(422, EffectMismatchDto)
  @ApiProblems(400, 413, 415, 503, 507)
  async claim(
    @Param('thread_id') threadId: string,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendClaim(response, threadId, await this.effects.claim(threadId, readClaim(body), caller));
  }

  @Put('runners/threads/:thread_id/effects/:key')
  @Scopes('runner', 'approver')
  @Quiet()
  @RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' })
  @ApiParam(KEY)
  @ApiOperation({
    summary: 'Settle an effect',
    description:
      "The holder, or anyone who found out, reports the outcome of the tool call. Repeating it changes nothing. The holder's `completed` replaces another caller's `not_done` or `failed`. Error codes: `stale_attempt`, `effect_settled`, `ambiguous_effect`.",
  })
  @ApiBody({ type: SettleEffectDto })
  @ApiOkResponse({ type: EffectDto, description: 'The current effect.' })
  @ApiProblemOf(409, EffectConflictDto)
  @ApiProblems(400, 404, 413, 415, 503, 507)
  async settle(
    @Param('thread_id') threadId: string,
    @Param('key') key: string,
    @Query() query: EffectAddressQueryDto,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const address = query.toAddress(threadId, key);
    await sendJsonText(response, await this.effects.settle(address, readSettling(body), caller));
  }

  @Get('runners/threads/:thread_id/effects')
  @Scopes('runner', 'approver', 'reader')
  @BoundReadersSee('thread')
  @ApiOperation({
    summary: "List a thread's effects",
    description: 'Oldest claim first. A token bound to agents sees only their effects.',
  })
  @ApiHeader(IF_NONE_MATCH)
  @ApiOkResponse({ type: EffectListDto, description: 'One page of effects, with its ETag.' })
  @ResponseDoc(UNCHANGED)
  @ApiProblems(400, 404)
  async list(
    @Param('thread_id') threadId: string,
    @Query() query: ThreadEffectsQueryDto,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const options = query.toOptions(ifNoneMatch);
    await sendEffect(response, await this.queries.list(query.toQuery(threadId), agentIds, options, longPoll(response)));
  }

  @Get('runners/threads/:thread_id/effects/:key')
  @Scopes('runner', 'approver', 'reader')
  @BoundReadersSee('thread')
  @ApiParam(KEY)
  @ApiOperation({ summary: 'Get an effect' })
  @ApiHeader(IF_NONE_MATCH)
  @ApiOkResponse({ type: EffectDto, description: 'The effect, with its ETag.' })
  @ResponseDoc(UNCHANGED)
  @ApiProblemOf(409, EffectConflictDto)
  @ApiProblems(400, 404)
  async one(
    @Param('thread_id') threadId: string,
    @Param('key') key: string,
    @Query() query: EffectQueryDto,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const [address, options] = [query.toAddress(threadId, key), query.toOptions(ifNoneMatch)];
    await sendEffect(response, await this.queries.one(address, agentIds, options, longPoll(response)));
  }

  @Get('effects')
  @Scopes('approver', 'reader')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'List effects of all threads',
    description: 'By default effects in doubt, oldest claim first: somebody has to find out whether they happened.',
  })
  @ApiOkResponse({ type: EffectListDto, description: 'One page of effects.' })
  @ApiProblems(400)
  async all(
    @Query() query: AllEffectsQueryDto,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendJsonText(response, await this.queries.ofAllThreads(query.toQuery(), agentIds));
  }
}
