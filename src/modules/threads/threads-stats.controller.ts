import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../common/clock.js';
import { Scopes } from '../../http/access.decorators.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { StatsDto, StatsQueryDto } from './stats/stats.dto.js';
import { StatsService } from './stats/stats.service.js';

@ApiTags('threads')
@Controller('v1/stats')
export class ThreadsStatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Scopes('reader')
  @ApiOperation({
    summary: 'Count runs, tokens and cost',
    description:
      'Sums over runs by hour, day, agent or model. Each attempt of a run counts at its start, with everything it has reported so far. The sums are kept: the number of threads does not slow them down, and deleted threads stay counted. Imported threads count like any other.',
  })
  @ApiOkResponse({ type: StatsDto, description: 'The sums.' })
  @ApiProblems(400)
  read(@Query() query: StatsQueryDto): Promise<StatsDto> {
    return this.stats.read(query.toQuery(this.clock.nowMs()));
  }
}
