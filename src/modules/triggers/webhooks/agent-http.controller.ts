import { All, Controller, Get, HttpCode, Req } from '@nestjs/common';
import { VERSION } from '../../../common/version.js';
import { RawBody, RawBytes } from '../../../http/body.decorators.js';
import type { AgentRequest } from './agent-caller.guard.js';
import { RunStartedDto } from './dto/run-started.dto.js';
import { RunStartsService } from './run-starts.service.js';

const LIMIT_BYTES = 1024 * 1024;

/** Everything under the ports of the agent process. The paths are those of the definition file, so the guard finds them, not the router. */
@Controller()
export class AgentHttpController {
  constructor(private readonly starts: RunStartsService) {}

  @Get('health')
  health(): { status: 'ok'; version: string } {
    return { status: 'ok', version: VERSION };
  }

  @All('{*path}')
  @HttpCode(202)
  @RawBody({ limitBytes: LIMIT_BYTES, contentType: 'json' })
  async start(@Req() request: AgentRequest, @RawBytes() body: Buffer): Promise<RunStartedDto> {
    const header = (name: string) => request.get(name);
    return RunStartedDto.from(await this.starts.start({ route: request.agentRoute!, header, body }));
  }
}
