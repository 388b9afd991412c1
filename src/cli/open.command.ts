import { spawn } from 'node:child_process';
import { Option, type Command } from 'commander';
import { SESSION_SCOPES } from '../common/principal.js';
import { loadClientConfig, launchContext } from '../config/env.js';
import type { ApiClient } from './api-client.js';
import { connect } from './connect.js';
import { consoleLink, OPENED_SECONDS, PRINTED_SECONDS, printConsoleLink, type LinkOptions } from './console-link.js';
import { createHome } from './create-home.js';
import { writeRedirectFile } from './redirect-file.js';
import type { Terminal } from './terminal.js';
import { asTyped } from '../config/as-typed.js';
import { userName } from './user-name.js';

/** A program that cannot open a browser fails within this time; others may run until the browser is closed. */
const START_TIMEOUT_MS = 3_000;

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, (url: string) => [program: string, ...args: string[]]>>> = {
  darwin: (url) => ['open', url],
  win32: (url) => ['rundll32', 'url.dll,FileProtocolHandler', url],
};

interface OpenOptions {
  print?: boolean;
  scope?: string;
  name?: string;
  json?: boolean;
}

/** `waystation open`: signs the person at this machine in to the console. */
export function addOpenCommand(program: Command, terminal: Terminal): void {
  program
    .command('open')
    .description('open the console in a browser, or print a link to it')
    .option('--print', 'only print the link, which works once, for 10 minutes')
    .addOption(
      new Option('--scope <scope>', 'what you may do there; default: all that your token may').choices(SESSION_SCOPES),
    )
    .option('--name <name>', 'who you are, for decisions; default: your user name, or the name of WAYSTATION_TOKEN')
    .option('--json', 'print the link and its end as JSON')
    .action((options: OpenOptions) => open(options, terminal));
}

async function open({ print, scope, name, json }: OpenOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const { publicUrl, apiUrl, token, home } = loadClientConfig();
  const url = publicUrl ?? apiUrl;
  const order = { url, scope, name: name ?? (token === null ? userName() : undefined) };
  if (json) {
    return terminal.print(JSON.stringify(await consoleLink(client, { ...order, expiresInSeconds: PRINTED_SECONDS })));
  }
  const { ssh, hasDisplay } = launchContext();
  const isHere = !print && ssh === null && hasDisplay;
  if (isHere && (await openHere(client, order, home))) {
    terminal.print(`The console opens in your browser: ${url}/console/`);
    return terminal.printError(asTyped('If nothing appears there, get a link: waystation open --print'));
  }
  if (isHere) terminal.printError('No browser could be opened.');
  await printConsoleLink(client, { scope, name }, terminal);
}

async function openHere(
  client: ApiClient,
  order: Omit<LinkOptions, 'expiresInSeconds'>,
  home: string,
): Promise<boolean> {
  const { url } = await consoleLink(client, { ...order, expiresInSeconds: OPENED_SECONDS });
  createHome(home);
  return startBrowser(writeRedirectFile(home, url, OPENED_SECONDS * 1000));
}

/** Opens the address in the browser of the person at this machine. Returns whether that seems to have worked. */
function startBrowser(url: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform]?.(url) ?? ['xdg-open', url];
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  return new Promise((resolve) => {
    // A slow browser must not block the command, nor may the command end before the result is known.
    const timer = setTimeout(() => resolve(true), START_TIMEOUT_MS);
    const end = (isOpen: boolean) => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
    child.unref();
  });
}
