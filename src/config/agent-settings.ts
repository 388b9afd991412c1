import path from 'node:path';
import { trimEndOf } from '../common/trim-end.js';
import type { AgentConfig } from './agent.config.js';
import type { EnvReader } from './env-reader.js';
import { isLoopbackUrl } from './loopback.js';
import { isUrlOf, NO_HOST, readHosts, readShutdownTimeout } from './shared-settings.js';

/** The settings of the agent process itself. */
export function readAgent(reader: EnvReader, agent: AgentConfig): void {
  agent.apiForward = reader.text('WAYSTATION_API_FORWARD', agent.apiForward);
  if (agent.apiForward !== null) checkForward(reader, agent.apiForward, agent.apiUrl);
  agent.host = reader.text('WAYSTATION_AGENT_HOST', agent.host);
  if (NO_HOST.test(agent.host)) {
    reader.fault('WAYSTATION_AGENT_HOST', 'must be a host name or an IP address', null);
  }
  agent.port = reader.integer('WAYSTATION_AGENT_PORT', agent.port, { min: 0, max: 65_535 });
  const publicUrl = reader.text('WAYSTATION_AGENT_URL', agent.publicUrl);
  agent.publicUrl = publicUrl === null ? null : trimEndOf(publicUrl, '/');
  if (agent.publicUrl !== null && !isUrlOf(agent.publicUrl, ['http:', 'https:'])) {
    reader.fault('WAYSTATION_AGENT_URL', 'must be an http:// or https:// URL', null);
  }
  agent.outsidePorts = readOutsidePorts(reader);
  agent.outsideApiUrl = reader.text('WAYSTATION_OUTSIDE_API_URL', agent.outsideApiUrl);
  agent.allowedHosts = readHosts(reader, 'WAYSTATION_ALLOWED_HOSTS', agent.allowedHosts);
  const stateDir = reader.text('WAYSTATION_STATE_DIR', agent.stateDir);
  agent.stateDir = stateDir === null ? null : path.resolve(stateDir);
  agent.shutdownTimeoutMs = readShutdownTimeout(reader, agent.shutdownTimeoutMs);
  const ttl = { min: 5, max: 3600 };
  agent.leaseTtlSeconds = reader.integer('WAYSTATION_RUN_LEASE_SECONDS', agent.leaseTtlSeconds, ttl);
}

function readOutsidePorts(reader: EnvReader): ReadonlyMap<number, number> {
  const pairs = reader.list('WAYSTATION_OUTSIDE_PORTS', []).map((pair) => /^(\d{1,5})=(\d{1,5})$/.exec(pair));
  if (pairs.includes(null)) {
    return reader.fault('WAYSTATION_OUTSIDE_PORTS', 'must be pairs like 9100=9300, separated by commas', new Map());
  }
  return new Map(pairs.map((found) => [Number(found?.[1]), Number(found?.[2])]));
}

function checkForward(reader: EnvReader, target: string, apiUrl: string): void {
  const isTarget = /^unix:\/|^tcp:\/\/[^/]+:\d+$/.test(target) && URL.canParse(target);
  if (!isTarget) reader.fault('WAYSTATION_API_FORWARD', 'must be unix:/path or tcp://host:port', null);
  if (!isLoopbackUrl(apiUrl)) {
    reader.fault('WAYSTATION_API_FORWARD', 'needs a loopback address in WAYSTATION_API_URL', null);
  }
}
