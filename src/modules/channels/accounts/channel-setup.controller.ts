import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../../http/problem.dto.js';
import { ChannelAgentsService } from './channel-agents.service.js';
import { ChannelId } from './channel-id.pipe.js';
import { BindAgentDto, SetUpWebhookDto, VerifyChannelDto } from './dto/channel-action.dto.js';
import {
  AccountDto,
  ChannelAgentDto,
  VerifiedChannelResponseDto,
  VerificationCodeDto,
  WebhookSetupResponseDto,
} from './dto/channel-response.dto.js';
import { WebhookSetupService } from './webhook-setup.service.js';
import { ChannelsService } from './channels.service.js';
import { ChannelVerificationService } from './verification/channel-verification.service.js';

@ApiTags('channels')
@Controller('v1/channels/:id')
export class ChannelSetupController {
  constructor(
    private readonly channels: ChannelsService,
    private readonly agents: ChannelAgentsService,
    private readonly verification: ChannelVerificationService,
    private readonly webhooks: WebhookSetupService,
  ) {}

  @Post('agents')
  @ApiOperation({
    summary: 'Bind an agent',
    description: 'The agent may still be unknown: messages wait for its heartbeat.',
  })
  @ApiCreatedResponse({ type: ChannelAgentDto, description: 'The binding.' })
  @ApiProblems(400, 404, 409, 413, 415)
  async bind(@Param('id', ChannelId) id: string, @Body() body: BindAgentDto): Promise<ChannelAgentDto> {
    return ChannelAgentDto.from(await this.agents.bind(id, body.toOrder()));
  }

  @Delete('agents/:name')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Unbind an agent',
    description: 'If it was the default, the oldest remaining binding becomes the default.',
  })
  @ApiNoContentResponse({ description: 'The agent is unbound.' })
  @ApiProblems(404)
  async unbind(@Param('id', ChannelId) id: string, @Param('name') name: string): Promise<void> {
    await this.agents.unbind(id, name);
  }

  @Post('verification-code')
  @ApiOperation({
    summary: 'Create a new verification code',
    description: 'The previous code becomes invalid.',
  })
  @ApiCreatedResponse({ type: VerificationCodeDto, description: 'The code. Only this response shows it.' })
  @ApiProblems(404)
  async renewCode(@Param('id', ChannelId) id: string): Promise<VerificationCodeDto> {
    return VerificationCodeDto.from(await this.verification.renew(id));
  }

  @Post('verify')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Verify a channel',
    description:
      'You can send the code to the bot in a chat instead. It is valid for 15 minutes. Five wrong attempts here lock it here; five by one person in a chat lock it for that person in chats. After a hundred wrong attempts in chats it is locked there for everyone who guessed wrong, after five hundred for everyone. Attempts in chats never lock it here.',
  })
  @ApiOkResponse({ type: VerifiedChannelResponseDto, description: 'The verified channel.' })
  @ApiProblems(400, 404, 413, 415, 429)
  async verify(
    @Param('id', ChannelId) id: string,
    @Body() body: VerifyChannelDto,
  ): Promise<VerifiedChannelResponseDto> {
    return VerifiedChannelResponseDto.fromVerified(
      await this.verification.verify(id, body.code).then(() => this.channels.get(id)),
    );
  }

  @Post('check')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Check the account',
    description:
      "Asks the platform who the account is, which tests its token or number. A refusal is a 502 with the platform's words; the platform's `faults` say what to do.",
  })
  @ApiOkResponse({ type: AccountDto, description: 'The account on the platform.' })
  @ApiProblems(404, 409, 502)
  async check(@Param('id', ChannelId) id: string): Promise<AccountDto> {
    return AccountDto.from(await this.webhooks.check(id));
  }

  @Post('setup-webhook')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Register the receiver with the platform',
    description:
      'Registers the webhook with a new secret if the platform has an API for it, as Telegram does. For other platforms, such as WhatsApp and Slack, the response says what to paste into their consoles.',
  })
  @ApiOkResponse({ type: WebhookSetupResponseDto, description: 'Where the platform delivers messages.' })
  @ApiProblems(400, 404, 409, 413, 415, 502)
  async setUpWebhook(
    @Param('id', ChannelId) id: string,
    @Body() body: SetUpWebhookDto,
  ): Promise<WebhookSetupResponseDto> {
    return WebhookSetupResponseDto.from(await this.webhooks.setUp(id, body.baseUrl));
  }
}
