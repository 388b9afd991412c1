import { Controller, Get, Header, Headers, Redirect, StreamableFile } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiFoundResponse, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../http/access.decorators.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { RootService } from './root.service.js';

/** A stop on a line, 32 by 32 pixels. */
export const FAVICON = Buffer.from(
  'AAABAAEAICAAAAEAAgDFAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAEk5a////jrBlrAAAAAF0Uk5TAEDm2GYAAABqSURBVHjaY2AQDQWCEAYGxlAwcGBghTACIDIgOTgjFApQGFkrIYywVaumghlRq1YtBTOyVq1aCWasWhq1CsIAIwagWiBjaigDWAFQGT4GXDFCO8JAuBVwS+HOgDsM3c2Y/oJ7GR4IsGABAPv2Y5Ne9aMtAAAAAElFTkSuQmCC',
  'base64',
);

const DAY_SECONDS = 86_400;

/** For people who open the printed address in a browser. */
@ApiTags('health')
@Controller()
export class RootController {
  constructor(private readonly root: RootService) {}

  @Get()
  @Public()
  @Redirect('/console/')
  @Header('Vary', 'Accept')
  @ApiOperation({
    summary: 'Where to begin',
    description: 'Public. Redirects browsers to the console. Programs get a problem that names the reference.',
  })
  @ApiHeader({ name: 'Accept', required: false, description: 'Browsers accept `text/html`.' })
  @ApiFoundResponse({
    description: 'To the console.',
    content: {
      'text/html': { schema: { type: 'string', description: 'A link, for browsers that do not follow redirects.' } },
    },
    headers: { Location: { description: 'Its path.', schema: { type: 'string', example: '/console/' } } },
  })
  @ApiProblems(404)
  open(@Headers('accept') accept: string | undefined): void {
    this.root.checkIsForPage(accept);
  }

  @Get('favicon.ico')
  @Public()
  @Header('Cache-Control', `public, max-age=${DAY_SECONDS}`)
  @ApiExcludeEndpoint()
  icon(): StreamableFile {
    return new StreamableFile(FAVICON, { type: 'image/x-icon', length: FAVICON.length });
  }
}
