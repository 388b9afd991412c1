import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AnyQuery, Public } from '../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import { ConsolePageService } from './console-page.service.js';
import { sendPage } from './console.responses.js';

/** The page for people. It is the same for everybody; what it shows comes from the API, to those who are signed in. */
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
