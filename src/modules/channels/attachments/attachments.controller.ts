import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Principal } from '../../../common/principal.js';
import { Caller, Scopes } from '../../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { disconnectSignal } from '../../../http/long-poll.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { sendFile } from './attachment.responses.js';
import { AttachmentsService } from './attachments.service.js';

@ApiTags('runners')
@Controller('v1/runners/threads/:thread_id/attachments')
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

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
}
