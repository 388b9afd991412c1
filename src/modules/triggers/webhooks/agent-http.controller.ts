import { All, Controller, Get, HttpCode, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VERSION } from '../../../common/version.js';
import { RawBody, RawBytes } from '../../../http/body.decorators.js';
import type { AgentRequest } from './agent-caller.guard.js';
import { RunStartedDto } from './dto/run-started.dto.js';
import type { WebhookRefusal } from './foreign-body.js';
import { RunStartsService, singleValues } from './run-starts.service.js';
import { startResponse } from './webhooks.responses.js';

const LIMIT_BYTES = 1024 * 1024;

/** Everything on the agent process's ports. The definition file sets the paths, so the guard finds them, not the router. */
@Controller()
export class AgentHttpController {
  constructor(private readonly starts: RunStartsService) {}

  @Get('health')
  health(): { status: 'ok'; version: string } {
    return { status: 'ok', version: VERSION };
  }

  @All('{*path}')
  @HttpCode(202)
  @RawBody({ limitBytes: LIMIT_BYTES, contentType: 'any' }) // the guard knows the route's type
  async start(
    @Req() request: AgentRequest,
    @RawBytes() body: Buffer,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunStartedDto | WebhookRefusal> {
    const { agentRoute: route, headersDistinct } = request;
    return startResponse(
      response,
      await this.starts.start({ route: route!, headers: singleValues(headersDistinct), body }),
    );
  }
}
