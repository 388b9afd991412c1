import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';

/** Names and values alternate, as in `rawHeaders`. */
export type HeaderList = readonly string[];

const SHARED: HelmetOptions = {
  referrerPolicy: { policy: 'no-referrer' },
  frameguard: { action: 'deny' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  // TLS, if used, ends before this server; the rest only concerns very old browsers.
  strictTransportSecurity: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

const FOR_API = headersOf({
  ...SHARED,
  crossOriginOpenerPolicy: false,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

/** Swagger UI uses inline styles and embedded images. */
const FOR_DOCS = headersOf({
  ...SHARED,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
});

/** The console, the guides and the list of clients run only their own files, and agents' text never becomes markup. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const FOR_PAGES: HeaderList = [
  ...headersOf({
    ...SHARED,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    contentSecurityPolicy: false,
  }),
  ...['Content-Security-Policy', PAGE_POLICY],
];

/** Helmet's headers for an address. They are the same for every request, so it runs once. */
export function securityHeaders(url: string): HeaderList {
  if (['/console', '/docs/guides', '/clients'].some((place) => url.startsWith(place))) return FOR_PAGES;
  return url.startsWith('/docs') ? FOR_DOCS : FOR_API;
}

function headersOf(options: HelmetOptions): HeaderList {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(options)(request, response, () => undefined);
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
}
