import { errorCode } from '../common/error-code.js';
import { CliError } from './cli-error.js';

/** How to choose another port, with a suggestion that may be free. */
export type PortHint = (free: number) => string;

const LAST_PORT = 65_535;

/** Why a server could not listen, for the user; the error itself if no better message exists. */
export function listenError(error: unknown, { host, port }: { host: string; port: number }, hint: PortHint): unknown {
  const code = errorCode(error);
  const where = `port ${port} of ${host}`;
  if (code === 'EADDRINUSE') {
    return new CliError(
      `Something else already uses ${where}. Stop it, or choose another port: ${hint(port < LAST_PORT ? port + 1 : port - 1)}`,
    );
  }
  if (code === 'EACCES') return new CliError(`This user may not use ${where}. Choose a port of 1024 or above.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CliError(`${host} is not an address of this machine.`);
  }
  return error;
}

/** The host for a URL at which this machine reaches its own server. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
