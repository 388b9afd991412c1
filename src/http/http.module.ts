import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { BearerGuard } from './bearer.guard.js';
import { BodyGuard } from './body/body.guard.js';
import { ProblemFilter } from './problem.filter.js';
import { RoutePolicies } from './route-policy.js';
import { RequestValidationPipe } from './validation.pipe.js';

/** The layers around every route, in the order in which they run: token, body, validation; failures become problems. */
@Module({})
export class HttpModule {
  /** `imports` must bring the `Authenticator`. */
  static forRoot({ imports }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return {
      module: HttpModule,
      imports,
      providers: [
        RoutePolicies,
        { provide: APP_GUARD, useClass: BearerGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
