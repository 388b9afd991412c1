import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '../../common/principal.js';
import { BoundReadersSee, Caller, Scopes } from '../../http/access.decorators.js';
import { PageQueryDto } from '../../http/page-query.dto.js';
import { ApiProblems } from '../../http/problem.dto.js';
import { ReservedIdPipe } from '../../http/unmatched-route.js';
import { CreateTokenDto, RevokeTokenQueryDto } from './dto/create-token.dto.js';
import { CreatedTokenResponseDto, OwnTokenResponseDto, TokenListResponseDto } from './dto/token-response.dto.js';
import { TokensService } from './tokens.service.js';

/** A fixed path in place of an id. */
const NOT_SELF = new ReservedIdPipe('self', ['GET', 'HEAD']);

@ApiTags('tokens')
@Controller('v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post()
  @Scopes('runner')
  @ApiOperation({
    summary: 'Create a token',
    description:
      'Only this response shows the token. A token of scope `runner` can create narrower ones: of the same scope, for its own agents or fewer. They end with it at the latest, also if it is revoked, and cannot create tokens themselves.',
  })
  @ApiCreatedResponse({ type: CreatedTokenResponseDto, description: 'The new token.' })
  @ApiProblems(400, 413, 415)
  async create(@Body() body: CreateTokenDto, @Caller() caller: Principal): Promise<CreatedTokenResponseDto> {
    return CreatedTokenResponseDto.fromMinted(await this.tokens.mint(body.toOrder(), caller));
  }

  @Get()
  @ApiOperation({
    summary: 'List tokens',
    description: 'Newest first, without the tokens themselves.',
  })
  @ApiOkResponse({ type: TokenListResponseDto, description: 'One page of tokens.' })
  @ApiProblems(400)
  async list(@Query() { limit, cursor, count }: PageQueryDto): Promise<TokenListResponseDto> {
    return TokenListResponseDto.fromPage(
      await this.tokens.list(limit, cursor ?? null),
      count === 'true' ? await this.tokens.count() : undefined,
    );
  }

  @Get('self')
  @Scopes('runner', 'approver', 'reader', 'metrics')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'What may this token do?',
    description: 'For programs that check their token before they start.',
  })
  @ApiOkResponse({ type: OwnTokenResponseDto, description: 'What the token of this request may do.' })
  self(@Caller() caller: Principal): OwnTokenResponseDto {
    return OwnTokenResponseDto.from(caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scopes('runner')
  @ApiOperation({
    summary: 'Revoke a token',
    description:
      'Takes effect at once, on every instance, and also revokes the tokens that end with it. Tokens created by an admin token stay valid unless you pass `with_children`. A token of scope `runner` can revoke only the tokens it created. Open streams send events for at most one more second, and end at the next event or within 15 s. Long responses are cut off within a second.',
  })
  @ApiNoContentResponse({ description: 'The token is revoked.' })
  @ApiProblems(400, 404)
  async revoke(
    @Param('id', NOT_SELF) id: string,
    @Query() { with_children }: RevokeTokenQueryDto,
    @Caller() caller: Principal,
  ): Promise<void> {
    await this.tokens.revoke(id, caller, with_children === 'true');
  }
}
