import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '../../common/principal.js';
import { Caller, Quiet, Scopes } from '../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import { RawBody, RawBytes } from '../../http/body.decorators.js';
import { streamJson } from '../../http/send-json.js';
import { ApiProblemOf, ApiProblems } from '../../http/problem.dto.js';
import { ReservedIdPipe } from '../../http/unmatched-route.js';
import {
  DeleteStatesDto,
  PutStateDto,
  PutStepDto,
  PutWritesDto,
  SentValueDto,
  StateDto,
  StateIndexDto,
  StateListDto,
  StateValueDto,
  StoredStateDto,
  StoredStepDto,
  UnknownDigestDto,
} from './dto/state.dto.js';
import { StateAddressQueryDto, StateClearQueryDto, StatesQueryDto } from './dto/state-query.dto.js';
import { takeCheckpoint, takeStep, takeWrites } from './state.responses.js';
import { StateDeletionService } from './state-deletion.service.js';
import { StateQueryService } from './state-query.service.js';
import { StateService } from './state.service.js';
import { StateStepsService } from './state-steps.service.js';

const THREAD = { name: 'thread_id', example: 'thread-1' } as const;
const ID = { name: 'checkpoint_id', example: '1ef4f797-8335-6428-8001-8a1503f9b875' } as const;
/** A fixed route, never an id. */
const NOT_DELETE = new ReservedIdPipe('delete', ['POST']);

/** Graph states for LangGraph checkpointers. */
@ApiTags('states')
@ApiExtraModels(SentValueDto, StateValueDto)
@Controller('v1/runners')
export class StateController {
  constructor(
    private readonly states: StateService,
    private readonly steps: StateStepsService,
    private readonly deletion: StateDeletionService,
    private readonly queries: StateQueryService,
  ) {}

  @Put('threads/:thread_id/state/:checkpoint_id')
  @Scopes('runner')
  @Quiet()
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'json' })
  @ApiParam(THREAD)
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Store a checkpoint of a graph',
    description:
      'The server returns everything exactly as sent and never looks into serialised data. It stores a value once, however many checkpoints share it. The thread need not exist; deleting it deletes its states.',
  })
  @ApiBody({ type: PutStateDto })
  @ApiCreatedResponse({ type: StoredStateDto, description: 'The checkpoint is stored durably.' })
  @ApiOkResponse({ type: StoredStateDto, description: 'The checkpoint existed, and is replaced.' })
  @ApiProblemOf(409, UnknownDigestDto)
  @ApiProblems(400, 413, 415, 503, 507)
  async put(
    @Param('thread_id') threadId: string,
    @Param('checkpoint_id', NOT_DELETE) checkpointId: string,
    @Query() query: StateAddressQueryDto,
    @Req() request: ApiRequest,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const target = query.toAddress(threadId, checkpointId);
    await takeCheckpoint({ request, response, body }, (sent) => this.states.put(target, sent, caller));
  }

  @Post('threads/:thread_id/state/:checkpoint_id/writes')
  @HttpCode(204)
  @Scopes('runner')
  @Quiet()
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'json' })
  @ApiParam(THREAD)
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Store the writes of a task',
    description: 'The checkpoint may follow later. Repeating the request changes nothing.',
  })
  @ApiBody({ type: PutWritesDto })
  @ApiNoContentResponse({ description: 'The writes are stored durably.' })
  @ApiProblems(400, 413, 415, 503, 507)
  async addWrites(
    @Param('thread_id') threadId: string,
    @Param('checkpoint_id') checkpointId: string,
    @Query() query: StateAddressQueryDto,
    @Req() request: ApiRequest,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
  ): Promise<void> {
    const target = query.toAddress(threadId, checkpointId);
    await takeWrites({ request, body }, (sent) => this.states.addWrites(target, sent, caller));
  }

  @Post('threads/:thread_id/state')
  @HttpCode(200)
  @Scopes('runner')
  @Quiet()
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'json' })
  @ApiParam(THREAD)
  @ApiOperation({
    summary: 'Store a step of a graph',
    description:
      'A checkpoint, the writes of tasks, and the events that show the step, in one request. Checkpoint, writes and events are stored together or not at all; only single events may be refused. Sending it again changes nothing.',
  })
  @ApiBody({ type: PutStepDto })
  @ApiOkResponse({ type: StoredStepDto, description: 'All but the rejected events is stored durably.' })
  @ApiProblemOf(409, UnknownDigestDto)
  @ApiProblems(400, 413, 415, 503, 507)
  async putStep(
    @Param('thread_id') threadId: string,
    @Query() { agent_id }: StateClearQueryDto,
    @Req() request: ApiRequest,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const owner = { threadId, agentId: agent_id ?? null };
    await takeStep({ request, response, body }, (sent) => this.steps.store(owner, sent, caller));
  }

  @Get('threads/:thread_id/state')
  @Scopes('runner')
  @ApiParam(THREAD)
  @ApiOperation({
    summary: 'Get the newest checkpoint of a graph',
    description: 'The checkpoint with the highest id. A token bound to agents sees only their states.',
  })
  @ApiOkResponse({ type: StateDto, description: 'The checkpoint with its values and writes.' })
  @ApiProblems(400, 404)
  async newest(
    @Param('thread_id') threadId: string,
    @Query() query: StateAddressQueryDto,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.queries.one(query.toAddress(threadId, null), caller));
  }

  @Get('threads/:thread_id/state/:checkpoint_id')
  @Scopes('runner')
  @ApiParam(THREAD)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Get a checkpoint of a graph' })
  @ApiOkResponse({ type: StateDto, description: 'The checkpoint with its values and writes.' })
  @ApiProblems(400, 404)
  async one(
    @Param('thread_id') threadId: string,
    @Param('checkpoint_id', NOT_DELETE) checkpointId: string,
    @Query() query: StateAddressQueryDto,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.queries.one(query.toAddress(threadId, checkpointId), caller));
  }

  @Delete('threads/:thread_id/state')
  @HttpCode(204)
  @Scopes('runner')
  @ApiParam(THREAD)
  @ApiOperation({
    summary: 'Delete the states of a thread',
    description: 'Deletes the states of one agent, or of all agents of the token. Reported runs stay.',
  })
  @ApiNoContentResponse({ description: 'The states are deleted.' })
  @ApiProblems(400, 503, 507)
  async clear(
    @Param('thread_id') threadId: string,
    @Query() { agent_id }: StateClearQueryDto,
    @Caller() caller: Principal,
  ): Promise<void> {
    await this.deletion.clear({ threadId, agentId: agent_id ?? null }, caller);
  }

  @Post('threads/:thread_id/state/delete')
  @HttpCode(204)
  @Scopes('runner')
  @ApiParam(THREAD)
  @ApiOperation({
    summary: 'Delete checkpoints of a thread',
    description:
      'Deletes the named checkpoints with their writes, then values that no checkpoint uses any more. All other checkpoints stay. Naming an unknown checkpoint is no error.',
  })
  @ApiNoContentResponse({ description: 'The checkpoints are deleted.' })
  @ApiProblems(400, 503, 507)
  async delete(
    @Param('thread_id') threadId: string,
    @Query() { agent_id }: StateClearQueryDto,
    @Body() body: DeleteStatesDto,
    @Caller() caller: Principal,
  ): Promise<void> {
    await this.deletion.delete({ threadId, agentId: agent_id ?? null }, body.toNames(), caller);
  }

  @Get('state/index')
  @Scopes('runner')
  @ApiOperation({
    summary: 'List checkpoints of graphs without their data',
    description: "The list's checkpoints in the same order, without values, writes and other serialised data.",
  })
  @ApiOkResponse({ type: StateIndexDto, description: 'One page of checkpoints.' })
  @ApiProblems(400)
  async index(
    @Query() query: StatesQueryDto,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.queries.index(query.toQuery(), caller));
  }

  @Get('state')
  @Scopes('runner')
  @ApiOperation({
    summary: 'List checkpoints of graphs',
    description: 'Highest ids first, each with its values and writes. A token bound to agents sees only their states.',
  })
  @ApiOkResponse({ type: StateListDto, description: 'One page of checkpoints.' })
  @ApiProblems(400)
  async list(@Query() query: StatesQueryDto, @Caller() caller: Principal, @Res() response: ApiResponse): Promise<void> {
    await streamJson(response, this.queries.list(query.toQuery(), caller));
  }
}
