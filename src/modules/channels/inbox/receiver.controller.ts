import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Public, Quiet } from '../../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { Gate, RawBody } from '../../../http/body.decorators.js';
import { whileHeld } from '../../../http/body/body-reader.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { CHANNEL_TYPES } from '../platforms/platforms.js';
import { sendChallenge, sendReceived, toWebhookRequest, ReceiverGate } from './receiver.responses.js';
import { ReceiverService } from './receiver.service.js';

const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const PLATFORM = {
  name: 'platform',
  enum: CHANNEL_TYPES,
  description: 'The messaging platform that sends the request.',
};

@ApiTags('channels')
@Controller('v1/channels/webhook/:platform')
export class ReceiverController {
  constructor(private readonly receiver: ReceiverService) {}

  @Post()
  @HttpCode(200)
  @Public()
  @Quiet()
  @RawBody({ limitBytes: BODY_LIMIT_BYTES, contentType: 'any' })
  @Gate(ReceiverGate)
  @ApiParam(PLATFORM)
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiOperation({
    summary: "Receive a platform's messages",
    description:
      "Public. The request's signature or secret proves that the platform sent it; on a channel without one, requests of web pages are refused. The server responds as soon as the request is stored, and stores a repeated delivery once.",
  })
  @ApiBody({ schema: { type: 'object', description: 'As the platform defines it.' } })
  @ApiOkResponse({
    description:
      "Stored or ignored. Empty unless the platform expects a body, such as the challenge of Slack's handshake.",
    content: { 'text/plain': { schema: { type: 'string', example: '3eZbrw1a' } } },
  })
  @ApiProblems(400, 401, 403, 404, 408, 413, 415, 429, 503, 507)
  async receive(
    @Param('platform') platform: string,
    @Req() request: ApiRequest,
    @Res() response: ApiResponse,
  ): Promise<void> {
    sendReceived(
      response,
      await whileHeld(request, () =>
        this.receiver.receive(platform, toWebhookRequest(request), request.socket.remoteAddress),
      ),
    );
  }

  @Get()
  @Public()
  @ApiParam(PLATFORM)
  @ApiOperation({
    summary: "Answer a platform's handshake",
    description:
      'Public. Some platforms check once that this is the configured receiver, as WhatsApp does with `hub.mode`, `hub.verify_token` and `hub.challenge`.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'The challenge.', schema: { type: 'string', example: '1158201444' } })
  @ApiProblems(403, 404, 429, 503)
  async handshake(
    @Param('platform') platform: string,
    @Query() query: Record<string, unknown>,
    @Req() request: ApiRequest,
    @Res() response: ApiResponse,
  ): Promise<void> {
    sendChallenge(response, await this.receiver.handshake(platform, query, request.socket.remoteAddress));
  }
}
