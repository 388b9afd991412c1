import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Authenticator } from '../../http/authenticator.js';
import { AccessToken } from './access-token.entity.js';
import { KeyCheck } from './key-check.entity.js';
import { KeyCheckRepository } from './key-check.repository.js';
import { KeyCheckService } from './key-check.service.js';
import { TokenAuthenticator } from './token-authenticator.js';
import { TokensController } from './tokens.controller.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([AccessToken, KeyCheck])],
  controllers: [TokensController],
  providers: [
    TokensRepository,
    TokensService,
    KeyCheckRepository,
    KeyCheckService,
    { provide: Authenticator, useClass: TokenAuthenticator },
  ],
  exports: [Authenticator, TokensService],
})
export class TokensModule {}
