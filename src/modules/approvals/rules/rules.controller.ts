import { Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '../../../common/principal.js';
import { Caller, Scopes } from '../../../http/access.decorators.js';
import type { ApiResponse } from '../../../http/api-request.js';
import { RawBody, RawBytes } from '../../../http/body.decorators.js';
import { ApiProblemOf, ApiProblems } from '../../../http/problem.dto.js';
import { sendJsonText, streamJson } from '../../../http/send-json.js';
import { RuleListQueryDto, RuleSuggestionsQueryDto } from './dto/rule-query.dto.js';
import {
  CreateRuleDto,
  RehearsalDto,
  RehearseRuleDto,
  RuleConflictDto,
  RuleListDto,
  RuleResponseDto,
  RuleSuggestionsDto,
} from './dto/rule.dto.js';
import { RuleId } from './rule-id.pipe.js';
import { RuleSuggestionsService } from './rule-suggestions.service.js';
import { ReservedIdPipe } from '../../../http/unmatched-route.js';
import { RulesService } from './rules.service.js';

/** More than a rule may have: spaces and escapes lengthen the body. */
const BODY_LIMIT_BYTES = 128 * 1024;

/** Fixed paths in place of an id. */
const NOT_REHEARSE = new ReservedIdPipe('rehearse', ['POST']);
const NOT_SUGGESTIONS = new ReservedIdPipe('suggestions', ['GET', 'HEAD']);

@ApiTags('rules')
@Controller('v1/rules')
export class RulesController {
  constructor(
    private readonly rules: RulesService,
    private readonly suggestions: RuleSuggestionsService,
  ) {}

  @Post()
  @RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' })
  @ApiOperation({
    summary: 'Make a standing rule',
    description:
      'Decides tool calls without a person, from the response on and on every server; what waits already, waits. A rule never changes. 400 `unsafe_rule` if it could allow more than it says; 409 `rule_disagrees` if it would allow what people rejected or edited; 409 `too_many_rules` beyond 200 active ones; 503 `history_unfinished` if 5 seconds are too few to rehearse an `allow`.',
  })
  @ApiBody({ type: CreateRuleDto })
  @ApiCreatedResponse({ type: RuleResponseDto, description: 'The rule.' })
  @ApiProblemOf(409, RuleConflictDto)
  @ApiProblems(400, 403, 413, 415, 503)
  async create(@RawBytes() body: Buffer, @Caller() caller: Principal, @Res() response: ApiResponse): Promise<void> {
    await sendJsonText(response, await this.rules.create(body, caller));
  }

  @Post('rehearse')
  @HttpCode(200)
  @Scopes('approver')
  @RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' })
  @ApiOperation({
    summary: 'Rehearse a rule',
    description: 'What it would have said to the newest 10,000 calls that people decided or let expire. Makes no rule.',
  })
  @ApiBody({ type: RehearseRuleDto })
  @ApiOkResponse({ type: RehearsalDto, description: 'What the rule says.' })
  @ApiProblems(400, 413, 415)
  async rehearse(@RawBytes() body: Buffer, @Res() response: ApiResponse): Promise<void> {
    await streamJson(response, this.rules.rehearse(body));
  }

  @Get('suggestions')
  @Scopes('approver')
  @ApiOperation({
    summary: 'Suggest rules',
    description:
      'Drafts for the tools of an agent of which people approved five calls in 30 days and rejected or edited none. For the tools of one approval also from fewer calls; where people rejected or edited some, from its own approved calls alone. 503 `history_unfinished` if 5 seconds are too few to read what they decided.',
  })
  @ApiOkResponse({ type: RuleSuggestionsDto, description: 'The drafts.' })
  @ApiProblems(400, 404, 503)
  async suggest(@Query() query: RuleSuggestionsQueryDto, @Res() response: ApiResponse): Promise<void> {
    await streamJson(response, this.suggestions.suggest(query.toSubject()));
  }

  @Get()
  @Scopes('approver', 'reader')
  @ApiOperation({ summary: 'List rules', description: 'The newest first; active ones by default.' })
  @ApiOkResponse({ type: RuleListDto, description: 'One page of rules.' })
  @ApiProblems(400)
  async list(@Query() query: RuleListQueryDto, @Res() response: ApiResponse): Promise<void> {
    const { status, limit, cursor, count } = query;
    await streamJson(response, this.rules.list(status, limit, cursor ?? null, count === 'true'));
  }

  @Get(':id')
  @Scopes('approver', 'reader')
  @ApiOperation({ summary: 'Get a rule', description: 'Also one that has ended.' })
  @ApiOkResponse({ type: RuleResponseDto, description: 'The rule.' })
  @ApiProblems(404)
  async get(
    @Param('id', NOT_REHEARSE, NOT_SUGGESTIONS, RuleId) id: string,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendJsonText(response, await this.rules.get(id));
  }

  @Delete(':id')
  @HttpCode(204)
  @Scopes('approver')
  @ApiOperation({
    summary: 'Revoke a rule',
    description:
      'After the response, no server decides by it. What it decided stays, and it stays readable. An approver may revoke only an `allow`.',
  })
  @ApiNoContentResponse({ description: 'The rule has ended.' })
  @ApiProblems(403, 404)
  async revoke(
    @Param('id', NOT_REHEARSE, NOT_SUGGESTIONS, RuleId) id: string,
    @Caller() caller: Principal,
  ): Promise<void> {
    await this.rules.revoke(id, caller);
  }
}
