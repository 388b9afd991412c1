import { Controller, Get, Param, Put, Req, Res } from '@nestjs/common';
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
import type { Principal } from '../../../common/principal.js';
import { Caller, Scopes } from '../../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { BodyStream, RawBody } from '../../../http/body.decorators.js';
import { disconnectSignal } from '../../../http/long-poll.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { AttachmentUploadsService } from './attachment-uploads.service.js';
import { receiveFile, sendFile } from './attachment.responses.js';
import { StoredFileDto } from './stored-file.dto.js';
import { AttachmentsService } from './attachments.service.js';

const EXAMPLE_DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

@ApiTags('runners')
@Controller('v1/runners/threads/:thread_id/attachments')
export class AttachmentsController {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly uploads: AttachmentUploadsService,
  ) {}

  @Get(':attachment_id')
  @Scopes('runner')
  @ApiParam({ name: 'thread_id', example: 'channel:0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11:200300400:support' })
  @ApiParam({ name: 'attachment_id', example: '5d2f0c1f-6a3c-4a58-9a0b-0b6f9e3a7e11.0' })
  @ApiOperation({
    summary: 'Get the bytes of an attachment',
    description:
      'The address is the `href` of an attachment in the `context` of a message. The server fetches the file from the platform and stores nothing. `Range` is ignored. 404 `attachment_not_found`, also where the token may not speak for the agent of the thread; 410 `attachment_gone`; 413 `attachment_too_large`; 502 `platform_refused`; 503 with `Retry-After`. A connection that breaks before `Content-Length` bytes means that the file is not whole.',
  })
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({ description: 'The file.', schema: { type: 'string', format: 'binary' } })
  @ApiProblems(404, 410, 413, 502, 503)
  async get(
    @Param('thread_id') threadId: string,
    @Param('attachment_id') attachmentId: string,
    @Caller() caller: Principal,
    @Req() request: ApiRequest,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const attachment = await this.attachments.get(threadId, attachmentId, caller);
    await this.attachments.transfer(attachment, disconnectSignal(response), (file) =>
      sendFile(request, response, file),
    );
  }

  // OpenAPI knows one path for both methods.
  @Put(':attachment_id')
  @Scopes('runner')
  @RawBody({ limitBytes: 0, contentType: 'any', streamed: 'bytes' })
  @ApiParam({ name: 'thread_id', example: 'channel:0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11:200300400:support' })
  @ApiParam({
    name: 'attachment_id',
    description: 'The SHA-256 of the bytes, in hexadecimal.',
    example: EXAMPLE_DIGEST,
  })
  @ApiOperation({
    summary: 'Send a file up for the chat of a thread',
    description:
      'The body is the file, at most 50 MiB. It goes out when the turn ends well whose run has reported an event `attachment` with this digest. It is kept for 24 h; all files that wait have 512 MiB. Sent again, it is compared with the one that is there, and answered with 200. 409 `thread_has_no_chat`, also where the token may not speak for the agent of the chat; 413 `file_too_large`; 422 `digest_mismatch`; 503 with `Retry-After`; 507 `attachments_full`.',
  })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ type: StoredFileDto, description: 'The thread has it already.' })
  @ApiCreatedResponse({ type: StoredFileDto, description: 'The file is stored durably.' })
  @ApiProblems(400, 409, 413, 415, 422, 503, 507)
  async put(
    @Param('thread_id') threadId: string,
    @Param('attachment_id') digest: string,
    @BodyStream() bytes: AsyncGenerator<Buffer>,
    @Caller() caller: Principal,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: ApiResponse,
  ): Promise<StoredFileDto> {
    const upload = { threadId, digest, ...receiveFile(request, bytes) };
    return StoredFileDto.answer(response, digest, await this.uploads.store(upload, caller));
  }
}
