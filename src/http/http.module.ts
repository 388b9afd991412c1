import { Module, type CanActivate, type DynamicModule, type ModuleMetadata, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { BearerGuard } from './bearer.guard.js';
import { BodyGuard } from './body.guard.js';
import { ProblemFilter } from './problem.filter.js';
import { QueryGuard } from './query.guard.js';
import { RoutePolicies } from './route-policy.js';
import { RequestValidationPipe } from './validation.pipe.js';

export interface HttpLayers extends Pick<ModuleMetadata, 'imports'> {
  /** Admits callers before their bodies are read; default: the API's bearer guard. */
  callerGuard?: Type<CanActivate>;
  /** Whether queries may contain any parameter, because others choose the addresses; default false. */
  hasFreeQueries?: boolean;
}

/** The layers around every route, in order: token, query, body, validation; failures become problems. */
@Module({})
export class HttpModule {
  /** `imports` must provide the caller guard's dependencies: the `Authenticator` for the bearer guard. */
  static forRoot({ imports, callerGuard = BearerGuard, hasFreeQueries = false }: HttpLayers): DynamicModule {
    return {
      module: HttpModule,
      imports,
      providers: [
        RoutePolicies,
        callerGuard,
        BodyGuard,
        ProblemFilter,
        { provide: APP_GUARD, useExisting: callerGuard },
        ...(hasFreeQueries ? [] : [{ provide: APP_GUARD, useClass: QueryGuard }]),
        { provide: APP_GUARD, useExisting: BodyGuard },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useExisting: ProblemFilter },
      ],
    };
  }
}
