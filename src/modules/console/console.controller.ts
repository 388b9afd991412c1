import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AnyQuery, Public } from '../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import { ConsolePageService } from './console-page.service.js';
import { sendPage } from './console.responses.js';

/** The page is the same for everybody; its data comes from the API, after signing in. */
@ApiExcludeController()
@Controller()
export class ConsoleController {
  constructor(private readonly page: ConsolePageService) {}

  @Get(['console', 'console/*path'])
  @Public()
  @AnyQuery()
  async open(@Req() request: ApiRequest, @Res() response: ApiResponse): Promise<void> {
    await sendPage(this.page, request, response);
  }
}
