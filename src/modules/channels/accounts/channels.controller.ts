import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Scopes } from '../../../http/access.decorators.js';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { ReservedIdPipe } from '../../../http/unmatched-route.js';
import { ChannelId } from './channel-id.pipe.js';
import { ChannelsService } from './channels.service.js';
import { CreateChannelDto, ReplaceConfigDto, UpdateChannelDto } from './dto/channel-request.dto.js';
import { ChannelListResponseDto, ChannelResponseDto, CreatedChannelResponseDto } from './dto/channel-response.dto.js';

/** A fixed route, never an id. */
const NOT_PLATFORMS = new ReservedIdPipe('platforms', ['GET', 'HEAD']);

@ApiTags('channels')
@Controller('v1/channels')
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  @Post()
  @ApiOperation({
    summary: 'Create a channel',
    description:
      'A bot or number belongs to one channel. The server does not call the platform. The channel ignores everybody until you verify it: send `verification_code` to `verify`, or to the bot in a chat.',
  })
  @ApiCreatedResponse({ type: CreatedChannelResponseDto, description: 'The new channel.' })
  @ApiProblems(400, 409, 413, 415)
  async create(@Body() body: CreateChannelDto): Promise<CreatedChannelResponseDto> {
    return CreatedChannelResponseDto.fromCreated(await this.channels.create(body.toOrder()));
  }

  @Get()
  @Scopes('reader')
  @ApiOperation({
    summary: 'List channels',
    description: 'Newest first, without secrets.',
  })
  @ApiOkResponse({ type: ChannelListResponseDto, description: 'One page of channels.' })
  @ApiProblems(400)
  async list(@Query() { limit, cursor, count }: PageQueryDto): Promise<ChannelListResponseDto> {
    return ChannelListResponseDto.fromPage(
      await this.channels.list(limit, cursor ?? null),
      count === 'true' ? await this.channels.count() : undefined,
    );
  }

  @Get(':id')
  @Scopes('reader')
  @ApiOperation({ summary: 'Get a channel', description: 'With its agents, without secrets.' })
  @ApiOkResponse({ type: ChannelResponseDto, description: 'The channel.' })
  @ApiProblems(404)
  async get(@Param('id', ChannelId) id: string): Promise<ChannelResponseDto> {
    return ChannelResponseDto.from(await this.channels.get(id));
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change a channel',
    description: 'Changes only the members that you send.',
  })
  @ApiOkResponse({ type: ChannelResponseDto, description: 'The updated channel.' })
  @ApiProblems(400, 404, 413, 415)
  async update(
    @Param('id', NOT_PLATFORMS, ChannelId) id: string,
    @Body() body: UpdateChannelDto,
  ): Promise<ChannelResponseDto> {
    return ChannelResponseDto.from(await this.channels.change(id, body.toPatch()));
  }

  @Put(':id/config')
  @ApiOperation({
    summary: 'Replace the config of a channel',
    description:
      'For new secrets of the same account: agents, sessions and the webhook stay. A different account must be verified and set up again.',
  })
  @ApiOkResponse({ type: ChannelResponseDto, description: 'The updated channel.' })
  @ApiProblems(400, 404, 409, 413, 415)
  async replaceConfig(@Param('id', ChannelId) id: string, @Body() body: ReplaceConfigDto): Promise<ChannelResponseDto> {
    return ChannelResponseDto.from(await this.channels.replaceConfig(id, body.config));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Remove a channel',
    description: 'Deletes its agents, sessions and messages. The threads of its sessions stay.',
  })
  @ApiNoContentResponse({ description: 'The channel is removed.' })
  @ApiProblems(404)
  async delete(@Param('id', NOT_PLATFORMS, ChannelId) id: string): Promise<void> {
    await this.channels.delete(id);
  }
}
