import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from './api-request.js';
import type { Principal } from '../common/principal.js';

/** The authenticated `Principal`. Only for routes that are not public. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<ApiRequest>();
  if (principal === undefined) throw new Error('@Caller() stands on a public route');
  return principal;
});
