import { ApiConnection, type ApiResponse } from '../client/api-connection.js';
import { speaksFor } from '../common/bound-agents.js';
import { objectOf } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import type { Scope } from '../common/principal.js';
import { asTyped } from '../config/as-typed.js';
import { UsageError } from './cli-error.js';
import { shellWord } from '../common/shell-word.js';

/** A running server answers at once. Runs can start without one, so nothing waits for it here. */
const RESPONSE_MS = 3_000;
const UNAUTHORIZED = 401;

interface OwnToken {
  scope: Scope;
  agent_ids: string[] | null;
}

/**
 * Checks that the token may report for all agents of a file, before anything listens.
 * @param tokenName where the token came from
 * @throws CliError with the command that makes the right token
 */
export async function checkAgentToken(
  apiUrl: string,
  token: string,
  agents: readonly string[],
  tokenName: string,
): Promise<void> {
  const api = new ApiConnection(apiUrl, token);
  const response = await api.send('/v1/tokens/self', { timeoutMs: RESPONSE_MS }).catch(() => null);
  const fault = response === null ? null : faultOf(response, agents, apiUrl);
  if (fault === null) return;
  const command = `waystation token create --scope runner --agents ${agents.map(shellWord).join(' ')}`;
  throw new UsageError(
    asTyped(`${fault} (${tokenName}). Set WAYSTATION_TOKEN to one that the server makes with:\n  ${command}`),
  );
}

/** What is wrong with the token; null for nothing, or if the server does not say: it may be older, or behind a proxy. */
function faultOf({ status, text }: ApiResponse, agents: readonly string[], apiUrl: string): string | null {
  const response = objectOf(parsedJson(text));
  if (status === UNAUTHORIZED && response?.code !== undefined)
    return `The server at ${apiUrl} does not accept the token`;
  if (status !== 200 || response?.scope === undefined) return null;
  const { scope, agent_ids: own } = response as unknown as OwnToken;
  if (scope !== 'runner' && scope !== 'admin') return `A token of scope ${scope} cannot run agents`;
  const others = own === null ? [] : agents.filter((name) => !speaksFor(own, name));
  if (others.length === 0) return null;
  return `The token is for ${own!.join(', ')} and may not report for ${others.join(', ')}`;
}
