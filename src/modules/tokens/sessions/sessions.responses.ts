import type { ApiResponse } from '../../../http/api-request.js';
import { BegunSessionDto } from './dto/session.dto.js';
import type { SessionCookie } from './session-cookie.js';
import type { BegunSession } from './sessions.service.js';

/** One half of the session's secret goes into a cookie that scripts cannot read, the other into the body. */
export function sendSignedIn(response: ApiResponse, cookie: SessionCookie, begun: BegunSession): BegunSessionDto {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Set-Cookie', cookie.set(begun.cookie));
  return BegunSessionDto.from(begun);
}
