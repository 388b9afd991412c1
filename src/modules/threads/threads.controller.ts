import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { BoundReadersSee, Caller, Scopes } from '../../http/access.decorators.js';
import type { ApiResponse } from '../../http/api-request.js';
import type { Principal } from '../../common/principal.js';
import { sendEventStream } from '../../http/event-stream.js';
import { disconnectSignal } from '../../http/long-poll.js';
import { streamJson } from '../../http/send-json.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { CheckpointsQueryDto } from './checkpoints/checkpoints-query.dto.js';
import { ListThreadsQueryDto } from './list/list-threads-query.dto.js';
import { ThreadDetailQueryDto } from './detail/thread-detail-query.dto.js';
import { StreamQueryDto } from './stream/stream-query.dto.js';
import { ThreadCheckpointListDto } from './checkpoints/thread-checkpoint.dto.js';
import { ThreadMessagesDto, ThreadStepListDto } from './checkpoints/thread-step.dto.js';
import { MessagesQueryDto, StepsQueryDto } from './checkpoints/steps-query.dto.js';
import { ThreadStepsService } from './checkpoints/thread-steps.service.js';
import { ThreadDetailDto } from './detail/thread-detail.dto.js';
import { ThreadListDto } from './list/thread-list.dto.js';
import { ThreadStreamService } from './stream/thread-stream.service.js';
import { ThreadCheckpointsService } from './checkpoints/thread-checkpoints.service.js';
import { RunCancellationService } from './journal/run-cancellation.service.js';
import { CancelledRunDto } from './journal/cancelled-run.dto.js';
import { RunOrderDto } from './journal/run-order.dto.js';
import { ThreadDeletionService } from './deletion/thread-deletion.service.js';
import { ThreadDetailService } from './detail/thread-detail.service.js';
import { ThreadListService } from './list/thread-list.service.js';

const STREAM_EXAMPLE = `id: 17.0
event: checkpoint
data: {"thread_id":"thread-1","trace_id":"trace-1","step_index":3,"status":"in_progress","history":[]}

id: 17
event: log
data: {"ts":"2026-11-20T09:30:01.250Z","level":"info","kind":"assistant","message":"Done.","agent_id":"support"}
`;

@ApiTags('threads')
@Controller('threads')
export class ThreadsController {
  constructor(
    private readonly threads: ThreadListService,
    private readonly details: ThreadDetailService,
    private readonly checkpointLists: ThreadCheckpointsService,
    private readonly steps: ThreadStepsService,
    private readonly streams: ThreadStreamService,
    private readonly deletion: ThreadDeletionService,
    private readonly cancellation: RunCancellationService,
  ) {}

  @Get()
  @Scopes('reader')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'List threads',
    description: 'The latest checkpoint of each thread, most recently changed first. A thread must match all filters.',
  })
  @ApiOkResponse({ type: ThreadListDto, description: 'One page of threads.' })
  @ApiProblems(400)
  async list(
    @Query() query: ListThreadsQueryDto,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.threads.page(query.toQuery(agentIds)));
  }

  @Get(':thread_id')
  @Scopes('reader')
  @BoundReadersSee('thread')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: 'Get a thread',
    description:
      "The latest checkpoint, the runs, and logs extracted from their messages. The response is streamed; `logs_limit` pages the logs. `include=effects` adds each run's `effects`.",
  })
  @ApiOkResponse({ type: ThreadDetailDto, description: 'The thread.' })
  @ApiProblems(400, 404)
  async detail(
    @Param('thread_id') threadId: string,
    @Query() query: ThreadDetailQueryDto,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.details.detail(query.toQuery(threadId)));
  }

  @Get(':thread_id/checkpoints')
  @Scopes('reader')
  @BoundReadersSee('thread')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: "List a thread's checkpoints",
    description:
      "Ordered by the run's first report, then by attempt and step. Without `limit` the server streams all of them; read them as they arrive.",
  })
  @ApiOkResponse({ type: ThreadCheckpointListDto, description: 'The checkpoints.' })
  @ApiProblems(400, 404)
  async checkpoints(
    @Param('thread_id') threadId: string,
    @Query() query: CheckpointsQueryDto,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.checkpointLists.list(query.toQuery(threadId)));
  }

  @Get(':thread_id/steps')
  @Scopes('reader')
  @BoundReadersSee('thread')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: "List a thread's steps",
    description:
      'The checkpoints in the same order, without their messages: figures, and the places of the messages. Steps with the same place share the message. Without `limit` the server streams all of them.',
  })
  @ApiOkResponse({ type: ThreadStepListDto, description: 'The steps.' })
  @ApiProblems(400, 404)
  async stepList(
    @Param('thread_id') threadId: string,
    @Query() query: StepsQueryDto,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.steps.list(query.toQuery(threadId)));
  }

  @Get(':thread_id/messages')
  @Scopes('reader')
  @BoundReadersSee('thread')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: "Get a thread's messages by their places",
    description: 'The steps of the thread name the places. The message at a place never changes.',
  })
  @ApiOkResponse({ type: ThreadMessagesDto, description: 'The messages.' })
  @ApiProblems(400, 404)
  async messages(
    @Param('thread_id') threadId: string,
    @Query() query: MessagesQueryDto,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.steps.messages(query.toQuery(threadId)));
  }

  @Get(':thread_id/stream')
  @Scopes('reader')
  @BoundReadersSee('thread')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: 'Follow a thread',
    description:
      'Server-sent events `checkpoint` (with `history=new`), `status`, `approval`, `effect` (an effect was claimed or settled; without `args`, `result` and `error`), `retry` (somebody retried a run) and `log`. The latest checkpoint comes first, then every change; a change without an event sends only an `id`. `Last-Event-ID` resumes without loss; an unknown id starts the stream again.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The id of the last received event.' })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'The stream; it ends when the thread is deleted.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE } },
  })
  @ApiProblems(400, 404)
  async stream(
    @Param('thread_id') threadId: string,
    @Query() query: StreamQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendEventStream(
      response,
      await this.streams.open(threadId, query.toPosition(lastEventId), disconnectSignal(response)),
    );
  }

  @Post(':thread_id/runs/:trace_id/cancel')
  @HttpCode(200)
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiParam({ name: 'trace_id', example: 'trace-1' })
  @ApiOperation({
    summary: 'Cancel a run',
    description:
      "Ends the run, and open runs below it, with the status `cancelled`. Its tool calls can no longer be decided. Later reports are stored but do not change the status until the run is started again. `waystation agent` stops the run's program; other programs see it in `latest` and in `control` of the response to their next report. Repeating the request returns the same response and keeps the first reason.",
  })
  @ApiBody({ type: RunOrderDto, required: false })
  @ApiOkResponse({ type: CancelledRunDto, description: 'The cancelled run.' })
  @ApiProblems(400, 404, 409, 413, 415, 503)
  async cancel(
    @Param('thread_id') threadId: string,
    @Param('trace_id') traceId: string,
    @Body() body: RunOrderDto,
    @Caller() caller: Principal,
  ): Promise<CancelledRunDto> {
    return CancelledRunDto.from(await this.cancellation.cancel(threadId, traceId, body.toOrder(caller)));
  }

  @Delete(':thread_id')
  @HttpCode(204)
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: 'Delete a thread',
    description: 'Deletes everything in it: runs, checkpoints, messages, approvals, effects.',
  })
  @ApiNoContentResponse({ description: 'The thread is deleted.' })
  @ApiProblems(404)
  async delete(@Param('thread_id') threadId: string): Promise<void> {
    await this.deletion.delete(threadId);
  }
}
