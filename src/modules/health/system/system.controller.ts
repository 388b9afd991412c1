import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Scopes } from '../../../http/access.decorators.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { SystemDto } from './system.dto.js';
import { SystemService } from './system.service.js';

@ApiTags('health')
@Controller('v1/system')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Get()
  @Scopes('reader')
  @ApiOperation({
    summary: 'The state of the server',
    description: 'Version, database, disk, queue, the servers on the database, and the findings of the doctor.',
  })
  @ApiOkResponse({ type: SystemDto, description: 'The state of this server and its storage.' })
  @ApiProblems(503)
  async read(): Promise<SystemDto> {
    return SystemDto.from(await this.system.read());
  }
}
