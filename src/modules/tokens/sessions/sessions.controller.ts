import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '../../../common/principal.js';
import { BoundReadersSee, Caller, Public, Scopes } from '../../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { Gate } from '../../../http/body.decorators.js';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { CreateCodeDto, CreatedCodeDto } from './dto/create-code.dto.js';
import { BegunSessionDto, ConsoleSessionDto, ConsoleSessionListDto, SignInDto } from './dto/session.dto.js';
import { SessionCookie } from './session-cookie.js';
import { sendSignedIn } from './sessions.responses.js';
import { SessionsService } from './sessions.service.js';
import { SigningInGate } from './page-request.js';

@ApiTags('console')
@Controller('v1/console')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('codes')
  @Scopes('reader', 'approver')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'Create a code for the console',
    description:
      'The code opens one session, once, within a short time; `waystation open` creates one and opens the browser with it. The session ends with the token that created the code. A session cannot create codes.',
  })
  @ApiCreatedResponse({ type: CreatedCodeDto, description: 'The new code.' })
  @ApiProblems(400, 413, 415)
  async createCode(@Body() body: CreateCodeDto, @Caller() caller: Principal): Promise<CreatedCodeDto> {
    return CreatedCodeDto.from(await this.sessions.mintCode(body.toOrder(), caller));
  }

  @Post('sessions')
  @Public()
  @Gate(SigningInGate)
  @ApiOperation({
    summary: 'Sign in to the console',
    description:
      'Public, for the page of the console: `Origin` must be the origin of this server. Sets a cookie and returns a key; requests need both. For a minute, the same code and `proof` get the same response, unless the session has ended. A session ends 12 hours after its last use, 7 days after it began, or with its token.',
  })
  @ApiHeader({ name: 'Origin', required: true, description: 'Browsers send it automatically.' })
  @ApiCreatedResponse({
    type: BegunSessionDto,
    description: 'The session has begun.',
    headers: {
      'Set-Cookie': { description: 'The cookie that requests need besides the key.', schema: { type: 'string' } },
    },
  })
  @ApiProblems(400, 401, 403, 408, 413, 415, 429, 503)
  async signIn(
    @Body() body: SignInDto,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: ApiResponse,
  ): Promise<BegunSessionDto> {
    return sendSignedIn(
      response,
      this.cookie,
      await this.sessions.signIn(body.toSignIn(), request.socket.remoteAddress),
    );
  }

  @Get('session')
  @Scopes('reader', 'approver')
  @BoundReadersSee('own')
  @ApiOperation({ summary: 'Who am I in the console?', description: 'Not found with a bearer token.' })
  @ApiOkResponse({ type: ConsoleSessionDto, description: "The caller's session." })
  @ApiProblems(404)
  async getOwn(@Caller() caller: Principal): Promise<ConsoleSessionDto> {
    return ConsoleSessionDto.from(await this.sessions.ownOf(caller));
  }

  @Delete('session')
  @HttpCode(204)
  @Scopes('reader', 'approver')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'Sign out of the console',
    description: 'Ends the session in all tabs. Not found with a bearer token.',
  })
  @ApiNoContentResponse({
    description: 'The session has ended.',
    headers: { 'Set-Cookie': { description: 'Removes the cookie.', schema: { type: 'string' } } },
  })
  @ApiProblems(404)
  async signOut(@Caller() caller: Principal, @Res({ passthrough: true }) response: ApiResponse): Promise<void> {
    await this.sessions.signOut(caller).then(() => response.setHeader('Set-Cookie', this.cookie.clear()));
  }

  @Get('sessions')
  @ApiOperation({ summary: 'List sessions of the console', description: 'Sessions that have not ended, newest first.' })
  @ApiOkResponse({ type: ConsoleSessionListDto, description: 'One page of sessions.' })
  @ApiProblems(400)
  async list(@Query() { limit, cursor, count }: PageQueryDto): Promise<ConsoleSessionListDto> {
    return ConsoleSessionListDto.fromPage(
      await this.sessions.list(limit, cursor ?? null),
      count === 'true' ? await this.sessions.count() : undefined,
    );
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'End a session of the console',
    description: 'Takes effect at once, on every instance. Open streams end like those of a revoked token.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiProblems(404)
  async end(@Param('id') id: string): Promise<void> {
    await this.sessions.end(id);
  }
}
