import type { EnvReader } from './env-reader.js';

/** Anything that is neither a host name nor an address. */
export const NO_HOST = /[\s/?#@]/;

/** A list of host names in lower case. */
export function readHosts(reader: EnvReader, name: string, fallback: readonly string[]): string[] {
  const hosts = reader.list(name, fallback).map((host) => host.toLowerCase());
  const rule = 'must be host names separated by commas, without scheme or wildcard';
  if (hosts.some((host) => /[\s/?#@*]/.test(host))) reader.fault(name, rule, null);
  return hosts;
}

export function readShutdownTimeout(reader: EnvReader, fallbackMs: number): number {
  return reader.integer('WAYSTATION_SHUTDOWN_TIMEOUT_MS', fallbackMs, { min: 0, max: 600_000 });
}

export function isUrlOf(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
