import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import { pathOf } from '../../http/request-target.js';
import { acceptedEncodings } from './accepted-encodings.js';
import type { ConsolePageService } from './console-page.service.js';

const ROOT = '/console/';

/** The page or one of its files; 304 if the browser has it. `/console` redirects to `/console/`. */
export async function sendPage(page: ConsolePageService, request: ApiRequest, response: ApiResponse): Promise<void> {
  const target = pathOf(request);
  if (!target.startsWith(ROOT)) return response.redirect(302, ROOT);
  const { headers } = request;
  const file = await page.find(target.slice(ROOT.length), acceptedEncodings(headers['accept-encoding']));
  response.setHeader('Cache-Control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('Vary', 'Accept-Encoding');
  response.setHeader('ETag', file.etag);
  if (headers['if-none-match'] === file.etag) return void response.status(304).end();
  response.setHeader('Content-Type', file.type);
  if (file.encoding !== null) response.setHeader('Content-Encoding', file.encoding);
  response.setHeader('Content-Length', file.bytes.length);
  response.end(file.bytes);
}
