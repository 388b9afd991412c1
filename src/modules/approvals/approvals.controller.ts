import { applyDecorators, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
  type ApiParamOptions,
} from '@nestjs/swagger';
import { BoundReadersSee, Caller, Scopes } from '../../http/access.decorators.js';
import type { ApiResponse } from '../../http/api-request.js';
import type { Principal } from '../../common/principal.js';
import { RawBody, RawBytes } from '../../http/body.decorators.js';
import { sendEventStream } from '../../http/event-stream.js';
import { disconnectSignal } from '../../http/long-poll.js';
import { sendJsonText, streamJson } from '../../http/send-json.js';
import { ApiProblemOf, ApiProblems } from '../../http/problem.dto.js';
import type { Verb } from './approval.entity.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalsStreamService } from './approvals-stream.service.js';
import { readAnswer, readDecision } from './decision/decision-body.js';
import { AnswerDto, ApprovalDto, DecidedApprovalDto, ApprovalListDto, DecisionDto } from './dto/approval.dto.js';
import { DecisionConflictDto } from './dto/decision-conflict.dto.js';
import { ApprovalAddressQueryDto, ApprovalListQueryDto } from './dto/approval-query.dto.js';

const BODY_LIMIT_BYTES = 1024 * 1024;
const STEP: ApiParamOptions = {
  name: 'step',
  type: 'integer',
  description: 'Step of the checkpoint that holds the calls.',
  example: 3,
};
const DECISION =
  'Of several racing decisions, exactly one wins. Repeating a decision returns the same record; a different decision gets 409. Calls that ask questions are never approved, only answered (409 `answer_required`).';
const ANSWER = `Answers the questions that calls ask. ${DECISION} 409 \`no_question\` where no call asks any.`;

/** Decision routes differ only in verb and description. */
function DecisionRoute(verb: Verb | 'answer', summary: string, description = DECISION): MethodDecorator {
  return applyDecorators(
    Post(`:trace_id/:step/${verb}`),
    HttpCode(200),
    Scopes('approver'),
    RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'json' }),
    ApiParam(STEP),
    ApiOperation({ summary, description }),
    verb === 'answer' ? ApiBody({ type: AnswerDto }) : ApiBody({ type: DecisionDto, required: false }),
    ApiOkResponse({ type: DecidedApprovalDto, description: 'The record with the decision.' }),
    ApiProblemOf(409, DecisionConflictDto),
    ApiProblems(400, 404, 413, 415, 503),
  );
}

@ApiTags('approvals')
@Controller('approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly changes: ApprovalsStreamService,
  ) {}

  @Get()
  @Scopes('approver', 'reader')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'List approvals',
    description: 'Pending ones by default, oldest first.',
  })
  @ApiOkResponse({ type: ApprovalListDto, description: 'One page of approvals.' })
  @ApiProblems(400)
  async list(
    @Query() query: ApprovalListQueryDto,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(
      response,
      this.approvals.list(query.toFilter(agentIds), query.limit, query.cursor ?? null, query.count === 'true'),
    );
  }

  @Get('stream')
  @Scopes('approver', 'reader')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'Follow approvals',
    description:
      'Server-sent events `opened`, `reminder` (it still waits, and people are reminded) and `closed`, each with the record. Begins with the pending approvals. `doubt_opened` and `doubt_closed` report effects in doubt in the same way.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'The stream.' })
  async stream(@Caller() { agentIds }: Principal, @Res() response: ApiResponse): Promise<void> {
    await sendEventStream(response, this.changes.follow(agentIds, disconnectSignal(response)));
  }

  @Get(':trace_id/:step')
  @Scopes('approver', 'reader')
  @BoundReadersSee('own')
  @ApiParam(STEP)
  @ApiOperation({
    summary: 'Get an approval',
    description: 'If several approvals have this address, returns the pending one, otherwise the newest.',
  })
  @ApiOkResponse({ type: ApprovalDto, description: 'The record.' })
  @ApiProblems(400, 404)
  async get(
    @Param('trace_id') traceId: string,
    @Param('step') step: string,
    @Query() query: ApprovalAddressQueryDto,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendJsonText(response, await this.approvals.get(query.toAddress(traceId, step), agentIds));
  }

  @DecisionRoute('approve', 'Approve tool calls')
  async approve(
    @Param('trace_id') traceId: string,
    @Param('step') step: string,
    @Query() query: ApprovalAddressQueryDto,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const address = query.toAddress(traceId, step);
    await sendJsonText(response, await this.approvals.decideAs(caller, address, readDecision(body, 'approve')));
  }

  @DecisionRoute('reject', 'Reject tool calls')
  async reject(
    @Param('trace_id') traceId: string,
    @Param('step') step: string,
    @Query() query: ApprovalAddressQueryDto,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const address = query.toAddress(traceId, step);
    await sendJsonText(response, await this.approvals.decideAs(caller, address, readDecision(body, 'reject')));
  }

  @DecisionRoute('answer', 'Answer questions', ANSWER)
  async answer(
    @Param('trace_id') traceId: string,
    @Param('step') step: string,
    @Query() query: ApprovalAddressQueryDto,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const address = query.toAddress(traceId, step);
    await sendJsonText(response, await this.approvals.decideAs(caller, address, readAnswer(body)));
  }
}
