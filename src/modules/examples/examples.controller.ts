import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../http/problem.dto.js';
import { ExampleDataDto, LoadedExampleDataDto, RemovedExampleDataDto } from './dto/example-data.dto.js';
import { ExampleDataService } from './example-data.service.js';

@ApiTags('example data')
@Controller('v1/example-data')
export class ExamplesController {
  constructor(private readonly examples: ExampleDataService) {}

  @Get()
  @ApiOperation({ summary: 'Is the example data loaded?' })
  @ApiOkResponse({ type: ExampleDataDto, description: 'How many example threads there are.' })
  async count(): Promise<ExampleDataDto> {
    return ExampleDataDto.from(await this.examples.count());
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Load example data',
    description:
      'Runs of the last day in every state, five agents that cannot be started, and two channels that are switched off. Existing items of the same name stay unchanged. Responds when everything is stored.',
  })
  @ApiOkResponse({ type: LoadedExampleDataDto, description: 'The example data is there.' })
  @ApiProblems(503, 507)
  async load(): Promise<LoadedExampleDataDto> {
    return LoadedExampleDataDto.from(await this.examples.load());
  }

  @Delete()
  @ApiOperation({
    summary: 'Remove the example data',
    description: 'Removes only the loaded data, also from the statistics. Threads, agents and channels of users stay.',
  })
  @ApiOkResponse({ type: RemovedExampleDataDto, description: 'No example data is left.' })
  @ApiProblems(503)
  async remove(): Promise<RemovedExampleDataDto> {
    return RemovedExampleDataDto.from(await this.examples.remove());
  }
}
