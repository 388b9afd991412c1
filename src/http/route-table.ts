import type { NextFunction, Request, Response } from 'express';

export type RouteHandler = (request: Request, response: Response, next: NextFunction) => unknown;

/** The part of a layer of Express's router that we use; Express has no type for it. */
export interface RouterLayer {
  match(path: string): unknown;
  handle: RouteHandler;
  /** Whether it is a middleware for every path. */
  slash: boolean;
  /** The pattern of a middleware. */
  rawPath?: unknown;
  route?: { path: unknown; stack: { method?: string; handle: RouteHandler }[] };
}

/** The handler that serves a path, and what Express notes on the request for it. */
export interface FoundRoute {
  handle: RouteHandler;
  route: NonNullable<RouterLayer['route']>;
  params: Record<string, string>;
}

interface Entry {
  /** The place of the layer: the first that fits serves the request. */
  place: number;
  route: FoundRoute['route'];
  handle: RouteHandler;
  parameters: readonly { name: string; at: number }[];
  /** What stands before it and may match the same address. */
  rivals: readonly RouterLayer[];
}

/** A place between two slashes: texts, in small letters, lead on, or any text does. */
class Branch {
  readonly texts = new Map<string, Branch>();
  any: Branch | null = null;
  entry: Entry | null = null;
}

/**
 * Has only the members that it is given, as `Object.create(null)` has, but keeps its shape: with that, each parameter of each request took
 * the engine's slowest way, two microseconds.
 */
const RouteParameters = function () {} as unknown as new () => Record<string, string>;
RouteParameters.prototype = Object.create(null) as Record<string, string>;

const TEXT = /^[\w.-]+$/;
/** A pattern whose first segment is a text. */
const FIRST_TEXT = /^\/([\w.-]+)(?:\/|$)/;
const PARAMETER = /^:[A-Za-z_]\w*$/;
const HASH = 0x23;
const QUESTION_MARK = 0x3f;
const SLASH = 0x2f;
const FIRST_GRAPHIC = 0x21;
const LAST_GRAPHIC = 0x7e;
const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);

/**
 * Finds the route of a request by its path's segments, where Express tries the pattern of one route after another. It answers as Express
 * does with its usual settings, for the routes whose segments are texts or whole parameters; all others, and every odd request, it leaves
 * to Express.
 */
export class RouteTable {
  private readonly roots = new Map<string, Branch>();
  /** Routes of other patterns and middlewares below a path, which may stand before a route of the table; not that of `/`, which has no segment. */
  private readonly others: { layer: RouterLayer; firstText: string | null }[] = [];

  /**
   * Takes the routes up to the first middleware for every path, which has to see the requests to what follows it.
   * @param first the place of the first layer that counts
   */
  constructor(layers: readonly RouterLayer[], first: number) {
    for (const [place, layer] of layers.entries()) {
      if (place < first) continue;
      if (layer.slash) break;
      const isOfRoot = layer.route?.path === '/';
      if (isOfRoot || (layer.route !== undefined && this.take(layer.route, place))) continue;
      this.others.push({ layer, firstText: firstTextOf(layer.route?.path ?? layer.rawPath) });
    }
  }

  /** Null leaves the request to Express. */
  find(method: string, url: string): FoundRoute | null {
    const root = this.roots.get(method);
    const segments = root && segmentsOf(url);
    if (!segments) return null;
    const entry = best(root, segments, 0);
    if (entry === null || isBehindAnother(entry, url)) return null;
    const params = paramsOf(entry, segments);
    return params && { handle: entry.handle, route: entry.route, params };
  }

  private take(route: FoundRoute['route'], place: number): boolean {
    const { path, stack } = route;
    const [only] = stack;
    if (typeof path !== 'string' || !path.startsWith('/') || path === '/') return false;
    if (only?.method === undefined || stack.length > 1 || !METHODS.has(only.method)) return false;
    const segments = path.slice(1).split('/');
    if (!segments.every((segment) => TEXT.test(segment) || PARAMETER.test(segment))) return false;
    const parameters = segments.flatMap((segment, at) =>
      PARAMETER.test(segment) ? [{ name: segment.slice(1), at }] : [],
    );
    let branch = branchOf(this.roots, only.method.toUpperCase());
    for (const segment of segments) {
      branch = segment.startsWith(':') ? (branch.any ??= new Branch()) : branchOf(branch.texts, segment.toLowerCase());
    }
    branch.entry ??= { place, route, handle: only.handle, parameters, rivals: this.rivalsOf(firstTextOf(path)) };
    return true;
  }

  /** Of those so far. A path cannot match two patterns that begin with different texts. */
  private rivalsOf(firstText: string | null): RouterLayer[] {
    const mayShare = (other: string | null) => firstText === null || other === null || other === firstText;
    return this.others.filter((one) => mayShare(one.firstText)).map(({ layer }) => layer);
  }
}

/** The first segment of a pattern, in small letters, where every path that matches begins with it; otherwise null. */
function firstTextOf(pattern: unknown): string | null {
  return typeof pattern === 'string' ? (FIRST_TEXT.exec(pattern)?.[1]?.toLowerCase() ?? null) : null;
}

function isBehindAnother({ rivals }: Entry, url: string): boolean {
  return rivals.length > 0 && rivals.some((layer) => mayMatch(layer, url.split('?', 1)[0]!));
}

/** A parameter that is not valid percent-encoding is for Express to word. */
function mayMatch(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path) !== false;
  } catch {
    return true;
  }
}

function branchOf(branches: Map<string, Branch>, name: string): Branch {
  let branch = branches.get(name);
  if (branch === undefined) branches.set(name, (branch = new Branch()));
  return branch;
}

/** The entry with the first place of those that fit. */
function best(branch: Branch, segments: readonly string[], at: number): Entry | null {
  if (at === segments.length) return branch.entry;
  const segment = segments[at]!;
  const next = branch.texts.get(segment) ?? branch.texts.get(segment.toLowerCase());
  const byText = next === undefined ? null : best(next, segments, at + 1);
  const byAny = branch.any === null ? null : best(branch.any, segments, at + 1);
  if (byText === null || byAny === null) return byText ?? byAny;
  return byText.place < byAny.place ? byText : byAny;
}

/**
 * The texts between the slashes of the path; one slash at its end does not count. Null where one is empty, and where Express does not
 * read the path and the query of the address as they stand.
 */
function segmentsOf(url: string): string[] | null {
  if (url.charCodeAt(0) !== SLASH) return null;
  const segments: string[] = [];
  let from = 1;
  let at = 1;
  for (; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === QUESTION_MARK) break;
    if (!isPlain(code)) return null;
    if (code !== SLASH) continue;
    if (at === from) return null;
    segments.push(url.slice(from, at));
    from = at + 1;
  }
  if (at > from) segments.push(url.slice(from, at));
  while (++at < url.length) if (!isPlain(url.charCodeAt(at))) return null;
  return segments;
}

function isPlain(code: number): boolean {
  return code !== HASH && code >= FIRST_GRAPHIC && code <= LAST_GRAPHIC;
}

/** Null where a parameter is not valid percent-encoding: Express words that fault. */
function paramsOf({ parameters }: Entry, segments: readonly string[]): Record<string, string> | null {
  const params = new RouteParameters();
  for (const { name, at } of parameters) {
    const text = decoded(segments[at]!);
    if (text === null) return null;
    params[name] = text;
  }
  return params;
}

function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
