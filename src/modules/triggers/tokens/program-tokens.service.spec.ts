import type { Logger } from '../../../common/logger.js';
import type { ProcessApi } from '../reporter/process-api.service.js';
import type { RunSettings } from '../run-settings.js';
import { ProgramTokens } from './program-tokens.service.js';

const DAY_MS = 86_400_000;

describe('The token of a program', () => {
  let [nowMs, made] = [0, 0];
  let status = 201;
  const send = (path: string) => {
    if (path !== '/v1/tokens') return Promise.resolve({ status: status === 201 ? 404 : status, text: '{}' });
    return Promise.resolve({ status, text: JSON.stringify({ id: `id-${++made}`, token: `wst_${made}` }) });
  };
  const tokens = new ProgramTokens(
    { send } as unknown as ProcessApi,
    { apiToken: 'wst_own' } as RunSettings,
    { nowMs: () => nowMs },
    { debug: () => undefined, warn: () => undefined } as unknown as Logger,
  );

  it.each([429, 500, 503])('stays the last that worked while the API answers with %s', async (failure) => {
    status = 201;
    const token = await tokens.tokenFor('support');
    status = failure;
    expect(await tokens.tokenFor('support')).toBe(token);
    nowMs += 2 * DAY_MS;
    expect(await tokens.tokenFor('support')).toBe(token);
    status = 201;
    expect(await tokens.tokenFor('support')).not.toBe(token);
  });

  it('is none once the API refuses to make one', async () => {
    status = 401;
    expect(await tokens.tokenFor('support')).toBeNull();
  });
});
