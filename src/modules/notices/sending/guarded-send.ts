import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Send, SendOptions, SentResponse } from '../../../common/outbound-call.js';
import { addressFault, hostOf, urlFault, type AddressRules } from '../notice-address.js';

/** The URL, or what its name leads to, is none to which notices may go. */
export class AddressRefused extends Error {}

/** As `lookup` of `node:dns` with `all`. */
type Resolve = (
  name: string,
  options: LookupOptions & { all: true },
  found: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Sends like `fetch`, but only where the rules allow. It checks the addresses that the connection itself uses, as a name may lead
 * elsewhere at every look-up.
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
    agent: false, // a connection of its own, made for the address that was checked
    lookup,
  };
  return new Promise((done, fail) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) =>
      done(responseOf(answer)),
    );
    request.on('error', fail);
    request.end(body);
  });
}

/** Refuses a name as soon as one of its addresses is not allowed: nobody can say which one the connection takes. */
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

function responseOf(answer: IncomingMessage): SentResponse {
  const get = (name: string) => {
    const value = answer.headers[name.toLowerCase()];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  };
  return { status: answer.statusCode ?? 0, headers: { get }, body: answer };
}
