import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { BoundReadersSee, Scopes } from '../../../http/access.decorators.js';
import type { ApiResponse } from '../../../http/api-request.js';
import { BodyStream, RawBody } from '../../../http/body.decorators.js';
import { streamJson } from '../../../http/send-json.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { ThreadExportService } from './thread-export.service.js';
import { ThreadImportService } from './thread-import.service.js';
import { ImportedThreadDto, ImportThreadQueryDto } from './thread-transfer.dto.js';

const JSON_LINES = 'application/x-ndjson';
const MEBIBYTE = 1024 * 1024;

const EXAMPLE = `{"waystation_export":1,"version":"0.1.0","check":"c2Vu5ySv0dKfXy1oUq7T3A"}
{"thread":{"id":"thread-1","last_seq":17,"status":"completed"},"check":"p0bN1mC4m0rQk8l2a7yF9g"}
{"message":{"list":0,"seq":0,"digest":"x2…","body":"{\\"role\\":\\"user\\"}"},"check":"Zr5s0c0kq1u8b3n6v9w2eQ"}
{"end":{"rows":2},"check":"n3h5j7k9l1m3n5p7q9r1sA"}
`;

@ApiTags('threads')
@Controller('v1/threads')
export class ThreadTransferController {
  constructor(
    private readonly exports: ThreadExportService,
    private readonly imports: ThreadImportService,
  ) {}

  @Get(':thread_id/export')
  @Scopes('reader')
  @BoundReadersSee('thread')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: 'Export a thread',
    description:
      'Everything stored of the thread, as JSON lines: runs, checkpoints (including replaced ones), messages byte for byte, events, approvals with their decisions. The last line is `end`; without it the export is incomplete. A server runs two exports at a time, and ends one that is not read for 45 s.',
  })
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({
    description: 'The export.',
    content: { [JSON_LINES]: { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems(404)
  async export(@Param('thread_id') threadId: string, @Res() response: ApiResponse): Promise<void> {
    await streamJson(response, this.exports.export(threadId), JSON_LINES);
  }

  @Post('import')
  @RawBody({
    // A line holds a message as JSON within JSON, which may be twice as long.
    limitBytes: ({ maxBodyBytes }) => 2 * maxBodyBytes + MEBIBYTE,
    contentType: 'json-lines',
    streamed: 'lines',
  })
  @ApiOperation({
    summary: 'Import a thread',
    description:
      'Reads an export, from any database. The thread reads the same as on the exporting server and continues like any other: reports, decisions, streams, retention. It becomes visible only when complete; a failed import leaves nothing. A changed or missing line, or one of a later format, is a 400 that names the line. Lines are limited, the body is not; it may be compressed. A server runs two imports at a time.',
  })
  @ApiConsumes(JSON_LINES)
  @ApiBody({ schema: { type: 'string', example: EXAMPLE } })
  @ApiCreatedResponse({ type: ImportedThreadDto, description: 'The thread is stored durably.' })
  @ApiProblems(400, 409, 413, 415, 503, 507)
  async import(
    @Query() { as }: ImportThreadQueryDto,
    @BodyStream() lines: AsyncGenerator<Buffer>,
  ): Promise<ImportedThreadDto> {
    return ImportedThreadDto.from(await this.imports.import(lines, as ?? null));
  }
}
