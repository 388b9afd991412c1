import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public, Scopes } from '../../http/access.decorators.js';
import { HealthResponseDto, ReadinessResponseDto } from './dto/health-response.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'Is the server up?', description: 'Public. Does not check the database.' })
  @ApiOkResponse({ type: HealthResponseDto, description: 'The server answers.' })
  live(): HealthResponseDto {
    return HealthResponseDto.ok();
  }

  @Get('ready')
  @Scopes('runner', 'approver', 'reader', 'metrics')
  @ApiOperation({
    summary: 'Can the server serve?',
    description: '503 while the database does not answer.',
  })
  @ApiOkResponse({ type: ReadinessResponseDto, description: 'The server and its database answer.' })
  async ready(): Promise<ReadinessResponseDto> {
    return ReadinessResponseDto.from(await this.health.checkReadiness());
  }
}
