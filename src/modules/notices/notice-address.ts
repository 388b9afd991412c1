import { BlockList, isIP } from 'node:net';

export interface AddressRules {
  /** The server itself listens only on this machine. */
  isLocal: boolean;
  /** Names and addresses in private networks, in lower case (`WAYSTATION_NOTICE_HOSTS`). */
  privateHosts: readonly string[];
}

type Network = 'public' | 'loopback' | 'private' | 'forbidden';

const MAX_URL = 2048;

const LOOPBACK = blockList(['127.0.0.0', 8], ['::1', 128]);
const PRIVATE = blockList(['10.0.0.0', 8], ['172.16.0.0', 12], ['192.168.0.0', 16], ['100.64.0.0', 10], ['fc00::', 7]);
/** Link-local addresses and other addresses where clouds hand out credentials, and unassigned ones. */
const FORBIDDEN = blockList(
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['100.100.100.200', 32],
  ['192.0.0.0', 24],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['168.63.129.16', 32],
  ['0.0.0.0', 8],
  ['192.0.2.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 128],
  ['ff00::', 8],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['64:ff9b:1::', 48],
  ['100::', 64],
);
/** IPv6 addresses that lead to the IPv4 address in their last 32 bits, or after the first 16 (6to4). */
const MAPPED = blockList(['::ffff:0:0', 96], ['::', 96], ['64:ff9b::', 96]);
const SIX_TO_FOUR = blockList(['2002::', 16]);

/** Why notices must not be sent to the URL, whatever its name resolves to; null if they may. Never repeats the URL. */
export function urlFault(text: string, { isLocal, privateHosts }: AddressRules): string | null {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const host = hostOf(url);
  const isLoopback = isIP(host) === 0 ? /^(.+\.)?localhost$/.test(host) : networkOf(host) === 'loopback';
  if (isLoopback && !isLocal) return 'must not lead to this machine, because the server also listens for others';
  if (url.protocol === 'http:' && !isLoopback) return 'must begin with https://';
  return isIP(host) === 0 ? null : addressFault(host, host, { isLocal, privateHosts });
}

/** Why the connection must not be made; null if it may. @param host as the URL names it */
export function addressFault(address: string, host: string, { isLocal, privateHosts }: AddressRules): string | null {
  switch (networkOf(address)) {
    case 'public':
      return null;
    case 'loopback':
      return isLocal ? null : 'must not lead to this machine, because the server also listens for others';
    case 'private':
      return privateHosts.includes(host)
        ? null
        : 'leads to a private network: name its host in WAYSTATION_NOTICE_HOSTS';
    case 'forbidden':
      return 'leads to an address to which notices are never sent';
  }
}

/** A URL's host without an IPv6 address's brackets and a full name's final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function networkOf(address: string): Network {
  const plain = address.replace(/%.*$/s, '');
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(plain) === 0) return 'forbidden';
  const is = (list: BlockList) => list.check(plain, family);
  if (is(LOOPBACK)) return 'loopback';
  if (is(FORBIDDEN)) return 'forbidden';
  if (is(PRIVATE)) return 'private';
  if (family === 'ipv4') return 'public';
  const groups = groupsOf(plain);
  if (is(MAPPED)) return networkOf(ipv4Of(groups[6]!, groups[7]!));
  return is(SIX_TO_FOUR) ? networkOf(ipv4Of(groups[1]!, groups[2]!)) : 'public';
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]/`); // converts an IPv4 address at its end
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [read(head), read(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function blockList(...subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}
