import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isReachable, ServerConfig } from '../../../config/server.config.js';
import { Scopes } from '../../../http/access.decorators.js';
import { PlatformListDto } from './dto/platform-response.dto.js';

@ApiTags('channels')
@Controller('v1/channels/platforms')
export class PlatformsController {
  constructor(private readonly config: ServerConfig) {}

  @Get()
  @Scopes('reader')
  @ApiOperation({
    summary: 'List messaging platforms',
    description: "What to prepare on each platform, and the fields of its channels' `config`: enough to draw a form.",
  })
  @ApiOkResponse({ type: PlatformListDto, description: 'All platforms that this server knows.' })
  list(): PlatformListDto {
    return PlatformListDto.ofAll(isReachable(this.config));
  }
}
