import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Send, SendOptions, SentResponse } from '../../../common/outbound-call.js';
import { addressFault, hostOf, urlFault, type AddressRules } from '../notice-address.js';

/** Notices must not go to the URL, or to what its name resolves to. */
export class AddressRefused extends Error {}

/** Like `lookup` of `node:dns` with `all`. */
type Resolve = (
  name: string,
  options: LookupOptions & { all: true },
  found: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Like `fetch`, but only where the rules allow. Checks the addresses that the connection itself uses, because a name may resolve
 * differently at every lookup.
 */
export function guardedSend(rules: AddressRules, resolve: Resolve = lookup): Send {
  return async (url, options) => {
    const fault = urlFault(url.href, rules);
    if (fault !== null) throw new AddressRefused(fault);
    return send(url, options, guardedLookup(hostOf(url), rules, resolve));
  };
}

function send(url: URL, { method, headers, body, signal }: SendOptions, lookup: LookupFunction): Promise<SentResponse> {
  const options: RequestOptions = {
    method,
    headers: { ...Object.fromEntries(headers), 'content-length': Buffer.byteLength(body ?? '') },
    signal,
    agent: false, // a new connection, to the checked address
    lookup,
  };
  return new Promise((done, fail) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (response) =>
      done(responseOf(response)),
    );
    request.on('error', fail);
    // After a 101, Node closes the connection and tells nothing else.
    request.on('close', () => fail(new Error('The receiver closed the connection without a response.')));
    request.end(body);
  });
}

/** Refuses a name if any of its addresses is forbidden: the connection may use any of them. */
function guardedLookup(host: string, rules: AddressRules, resolve: Resolve): LookupFunction {
  return (name, options, found: Found) =>
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, []);
      const fault = addresses.map(({ address }) => addressFault(address, host, rules)).find((one) => one !== null);
      if (fault !== undefined) return found(new AddressRefused(fault), []);
      if (options.all) return found(null, addresses);
      found(null, addresses[0]!.address, addresses[0]!.family);
    });
}

function responseOf(response: IncomingMessage): SentResponse {
  const get = (name: string) => {
    const value = response.headers[name.toLowerCase()];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  };
  return { status: response.statusCode ?? 0, headers: { get }, body: response };
}
