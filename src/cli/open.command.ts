import { Option, type Command } from 'commander';
import { SESSION_SCOPES } from '../common/principal.js';
import { loadClientConfig, launchContext } from '../config/env.js';
import { startBrowser } from './browser-start.js';
import { connect } from './connect.js';
import { consoleLink, OPENED_SECONDS, PRINTED_SECONDS, tunnelCommand, type LinkOrder } from './console-link.js';
import { localTime } from './local-time.js';
import { makeHome } from './make-home.js';
import { writeRedirectFile } from './redirect-file.js';
import type { Terminal } from './terminal.js';
import { asTyped } from '../config/as-typed.js';
import { userName } from './user-name.js';

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
    .description('open the console in the browser; without one, or over SSH, print a link to it')
    .option('--print', 'only print the link, which works once, for 10 minutes')
    .addOption(
      new Option('--scope <scope>', 'what you may do there; default: all that your token may').choices(SESSION_SCOPES),
    )
    .option('--name <name>', 'who you are, for decisions; default: your user name, or the name of WAYSTATION_TOKEN')
    .option('--json', 'print the link and its end as JSON')
    .action((options: OpenOptions) => open(options, terminal));
}

async function open({ print, scope, name, json }: OpenOptions, terminal: Terminal): Promise<void> {
  const { publicUrl, apiUrl, token, home } = loadClientConfig();
  const url = publicUrl ?? apiUrl;
  const order = { url, scope, name: name ?? (token === null ? userName() : undefined) };
  const { ssh, hasDisplay } = launchContext();
  const isAway = ssh !== null || !hasDisplay;
  const isHere = !print && !json && !isAway;
  if (isHere && (await openHere(order, home))) {
    terminal.print(`The console opens in your browser: ${url}/console/`);
    return terminal.complain(asTyped('If nothing appears there, get a link: waystation open --print'));
  }
  const link = await consoleLink(connect(), { ...order, expiresInSeconds: PRINTED_SECONDS });
  if (json) return terminal.print(JSON.stringify(link));
  if (isHere) terminal.complain('No browser could be opened.');
  terminal.complain(`Open this link by ${localTime(link.expires_at)}; it works once:`);
  terminal.print(link.url);
  const tunnel = isAway ? tunnelCommand(url, ssh) : null;
  if (tunnel !== null) terminal.complain(`If your browser runs on another machine, first run there:\n  ${tunnel}`);
}

async function openHere(order: Omit<LinkOrder, 'expiresInSeconds'>, home: string): Promise<boolean> {
  const { url } = await consoleLink(connect(), { ...order, expiresInSeconds: OPENED_SECONDS });
  makeHome(home);
  return startBrowser(writeRedirectFile(home, url, OPENED_SECONDS * 1000));
}
