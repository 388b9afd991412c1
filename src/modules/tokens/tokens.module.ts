import { Module } from '@nestjs/common';
import { TypeOrmModule } from '../../database/typeorm.module.js';
import { Authenticator } from '../../http/authenticator.js';
import { AccessToken } from './access-token.entity.js';
import { ConsoleCode } from './sessions/console-code.entity.js';
import { ConsoleSession } from './sessions/console-session.entity.js';
import { SessionCookie } from './sessions/session-cookie.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SigningInGate } from './sessions/page-request.js';
import { KeyCheck } from './key-check.entity.js';
import { KeyCheckRepository } from './key-check.repository.js';
import { KeyCheckService } from './key-check.service.js';
import { TokenAuthenticator } from './token-authenticator.js';
import { TokensController } from './tokens.controller.js';
import { TokenUsesService } from './token-uses.service.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([AccessToken, ConsoleCode, ConsoleSession, KeyCheck])],
  controllers: [TokensController, SessionsController],
  providers: [
    TokensRepository,
    TokensService,
    TokenUsesService,
    SessionsRepository,
    SessionsService,
    SessionCookie,
    SigningInGate,
    KeyCheckRepository,
    KeyCheckService,
    { provide: Authenticator, useClass: TokenAuthenticator },
  ],
  exports: [Authenticator, TokensService],
})
export class TokensModule {}
