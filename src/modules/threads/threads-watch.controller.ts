import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { BoundReadersSee, Caller, Scopes } from '../../http/access.decorators.js';
import type { ApiResponse } from '../../http/api-request.js';
import type { Principal } from '../../common/principal.js';
import { sendEventStream } from '../../http/event-stream.js';
import { disconnectSignal } from '../../http/long-poll.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { ThreadWatchService } from './watch/thread-watch.service.js';
import { WatchThreadsQueryDto } from './watch/watch-threads-query.dto.js';

const STREAM_EXAMPLE = `retry: 1000
id: 1795340927850

id: 1795340927912
event: thread
data: {"thread_id":"thread-1","trace_id":"trace-1","agent_id":"support","step_index":3,"status":"in_progress","last_seq":17}

id: 1795340928001
event: deleted
data: {"thread_id":"thread-2"}
`;

/** Not below `/threads`, where a thread may have any name. */
@ApiTags('threads')
@Controller('v1/threads')
export class ThreadsWatchController {
  constructor(private readonly threads: ThreadWatchService) {}

  @Get('stream')
  @Scopes('reader')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'Follow all threads',
    description:
      'Server-sent events, with the filters of the list. `thread`: a thread changed; its list item, with the `last_seq` of its last change. States in between may be skipped, the last one never is. `approval`: a record of `/approvals` opened or closed. `effect`: an effect was claimed, settled or found in doubt; without `args`, `result` and `error`. `left` (`thread_id`, `last_seq`): a changed thread does not match the filters; sent once until it matches again, even if it never matched. `deleted` (`thread_id`): sent regardless of filters, and for a day to readers who come back. The stream starts with changes from now on. `Last-Event-ID` resumes it without loss, on any server; `0`, or any unknown id, starts with all threads. An event may come twice.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The id of the last received event.' })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'The stream.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE } },
  })
  @ApiProblems(400)
  async stream(
    @Query() query: WatchThreadsQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const threads = this.threads.open(
      query.toMatch(agentIds),
      query.toPosition(lastEventId),
      disconnectSignal(response),
    );
    await sendEventStream(response, await threads);
  }
}
