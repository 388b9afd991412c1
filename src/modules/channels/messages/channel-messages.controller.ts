import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Scopes } from '../../../http/access.decorators.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { ChannelId } from '../accounts/channel-id.pipe.js';
import { ChannelMessageListDto, ChannelMessageQueryDto } from './channel-message.dto.js';
import { ChannelMessagesService } from './channel-messages.service.js';

@ApiTags('channels')
@Controller('v1/channels/:id/messages')
export class ChannelMessagesController {
  constructor(private readonly messages: ChannelMessagesService) {}

  @Get()
  @Scopes('reader')
  @ApiOperation({
    operationId: 'Channels_listMessages',
    summary: "List a channel's messages",
    description: 'Messages in both directions, with their outcome. Newest first.',
  })
  @ApiOkResponse({ type: ChannelMessageListDto, description: 'One page of messages.' })
  @ApiProblems(400, 404)
  async list(
    @Param('id', ChannelId) id: string,
    @Query() query: ChannelMessageQueryDto,
  ): Promise<ChannelMessageListDto> {
    return ChannelMessageListDto.fromPage(
      await this.messages.list(id, query.toFilter(), query.limit, query.cursor ?? null),
      query.count === 'true' ? await this.messages.count(id, query.toFilter()) : undefined,
    );
  }
}
