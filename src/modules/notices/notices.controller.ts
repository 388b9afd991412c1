import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Scopes } from '../../http/access.decorators.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { CreateNoticeDto, UpdateNoticeDto } from './dto/notice-request.dto.js';
import {
  CreatedNoticeResponseDto,
  NoticeListResponseDto,
  NoticeResponseDto,
  NoticeSecretResponseDto,
  NoticeTestResponseDto,
} from './dto/notice-response.dto.js';
import { NoticeId } from './notice-id.pipe.js';
import { NoticeTestsService } from './notice-tests.service.js';
import { NoticesService } from './notices.service.js';

@ApiTags('notices')
@Controller('v1/notices')
export class NoticesController {
  constructor(
    private readonly notices: NoticesService,
    private readonly tests: NoticeTestsService,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create a notice',
    description:
      'When one of the events happens, the server calls the URL, signed as Standard Webhooks says, at least once and in any order, or posts to the chat. There may be 50 notices.',
  })
  @ApiCreatedResponse({ type: CreatedNoticeResponseDto, description: 'The new notice.' })
  @ApiProblems(400, 403, 409, 413, 415)
  async create(@Body() body: CreateNoticeDto): Promise<CreatedNoticeResponseDto> {
    return CreatedNoticeResponseDto.fromCreated(await this.notices.create(body.toOrder()));
  }

  @Get()
  @Scopes('reader')
  @ApiOperation({ summary: 'List notices', description: 'All of them, oldest first, without secrets.' })
  @ApiOkResponse({ type: NoticeListResponseDto, description: 'The notices.' })
  async list(): Promise<NoticeListResponseDto> {
    return NoticeListResponseDto.fromViews(await this.notices.list());
  }

  @Get(':id')
  @Scopes('reader')
  @ApiOperation({ summary: 'Get a notice', description: 'Without its secret.' })
  @ApiOkResponse({ type: NoticeResponseDto, description: 'The notice.' })
  @ApiProblems(404)
  async get(@Param('id', NoticeId) id: string): Promise<NoticeResponseDto> {
    return NoticeResponseDto.from(await this.notices.get(id));
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change a notice',
    description: 'Changes only the members that you send. What waits goes to the new URL.',
  })
  @ApiOkResponse({ type: NoticeResponseDto, description: 'The updated notice.' })
  @ApiProblems(400, 404, 413, 415)
  async update(@Param('id', NoticeId) id: string, @Body() body: UpdateNoticeDto): Promise<NoticeResponseDto> {
    return NoticeResponseDto.from(await this.notices.change(id, body.toPatch()));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove a notice', description: 'Deletes its deliveries; those that wait are not sent.' })
  @ApiNoContentResponse({ description: 'The notice is removed.' })
  @ApiProblems(404)
  async delete(@Param('id', NoticeId) id: string): Promise<void> {
    await this.notices.delete(id);
  }

  @Post(':id/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Test a notice',
    description: 'Sends an event of the type `test` at once, also for a disabled notice, and does not repeat it.',
  })
  @ApiOkResponse({ type: NoticeTestResponseDto, description: 'What the receiver answered.' })
  @ApiProblems(404)
  async test(@Param('id', NoticeId) id: string): Promise<NoticeTestResponseDto> {
    return NoticeTestResponseDto.from(await this.tests.test(id));
  }

  @Post(':id/secret')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Renew the secret of a notice',
    description: 'For 24 hours, both the new secret and the one before sign each call.',
  })
  @ApiOkResponse({ type: NoticeSecretResponseDto, description: 'The new secret.' })
  @ApiProblems(404, 409)
  async renewSecret(@Param('id', NoticeId) id: string): Promise<NoticeSecretResponseDto> {
    return { secret: await this.notices.renewSecret(id) };
  }
}
