import os from 'node:os';
import { isLoopbackUrl } from '../config/loopback.js';
import type { SshSession } from '../config/launch-context.js';
import { launchContext, loadClientConfig } from '../config/env.js';
import type { ApiClient } from './api-client.js';
import { localClock } from './local-time.js';
import type { Terminal } from './terminal.js';
import { userName } from './user-name.js';

/** Validity in seconds of a link that a browser opens at once. */
export const OPENED_SECONDS = 60;
/** Validity in seconds of a link that a person copies to a browser. */
export const PRINTED_SECONDS = 600;

/** The link's address and permissions. */
export interface LinkOptions {
  /** Where people reach the server, without a slash at the end. */
  url: string;
  expiresInSeconds: number;
  /** Undefined for all that the token may do. */
  scope?: string;
  /** Undefined for the name of the token. */
  name?: string;
}

export interface ConsoleLink {
  url: string;
  /** ISO 8601. */
  expires_at: string;
}

/**
 * A link that signs one person in to the console, once. The code is in the fragment, which browsers never send.
 * @throws CliError as `ApiClient.send`
 */
export async function consoleLink(client: ApiClient, order: LinkOptions): Promise<ConsoleLink> {
  const { url, expiresInSeconds: expires_in_seconds, scope, name } = order;
  const body = { scope, name, expires_in_seconds };
  const made = await client.send<{ code: string; expires_at: string }>('POST', '/v1/console/codes', body);
  return { url: linkWith(url, made.code), expires_at: made.expires_at };
}

/** Makes a sign-in link and prints it, with instructions, for the person at the terminal. */
export async function printConsoleLink(
  client: ApiClient,
  who: Pick<LinkOptions, 'scope' | 'name'>,
  terminal: Terminal,
): Promise<void> {
  const { publicUrl, apiUrl, token } = loadClientConfig();
  const url = publicUrl ?? apiUrl;
  const { ssh, hasDisplay } = launchContext();
  const name = who.name ?? (token === null ? userName() : undefined);
  const link = await consoleLink(client, { ...who, url, name, expiresInSeconds: PRINTED_SECONDS });
  terminal.printError(`Open this link by ${localClock(link.expires_at).slice(0, 5)}; it works once:`);
  terminal.print(link.url);
  const tunnel = ssh !== null || !hasDisplay ? tunnelCommand(url, ssh) : null;
  if (tunnel !== null) terminal.printError(`If your browser runs on another machine, first run there:\n  ${tunnel}`);
}

/** @param url where people reach the server, without a slash at the end */
export function linkWith(url: string, code: string): string {
  return `${url}/console/#code=${code}`;
}

/** Docker and Podman name a container's host after its id, which SSH cannot reach. */
const CONTAINER_NAME = /^[0-9a-f]{12}$/;

/**
 * The SSH command that forwards a loopback address of this machine; null for other addresses and in a container.
 * @param ssh how the person came to this machine; null if unknown
 */
export function tunnelCommand(url: string, ssh: SshSession | null, ownName = os.hostname()): string | null {
  if (!isLoopbackUrl(url) || (ssh === null && CONTAINER_NAME.test(ownName))) return null;
  const { hostname, port } = new URL(url);
  const own = port === '' ? '80' : port;
  const user = userName();
  const host = ssh?.host ?? ownName;
  const words = [
    ...['ssh', '-L', `${own}:${hostname}:${own}`],
    ...(ssh === null || ssh.port === '22' ? [] : ['-p', ssh.port]),
    user === undefined ? host : `${user}@${host}`,
  ];
  return words.join(' ');
}
