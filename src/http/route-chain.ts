import type { IncomingHttpHeaders } from 'node:http';
import { ForbiddenException, type ArgumentMetadata, type CanActivate, type PipeTransform } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { HttpArgumentsHost } from '@nestjs/common/internal';
import { FORBIDDEN_MESSAGE } from '@nestjs/core/guards/constants.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ParamsTokenFactory } from '@nestjs/core/pipes/params-token-factory.js';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { isStreamingBody } from '@nestjs/core/router/streaming-body.js';
import { isObservable, lastValueFrom } from 'rxjs';
import { NO_VALUES } from './accepted-instance.js';

type Router = typeof RouterExecutionContext.prototype;
type RouteParameter = Parameters<Router['createPipesFn']>[1][number];
type Extract = RouteParameter['extractValue'];
/** What the framework keeps private: the stream in a result, if any. */
type StreamPicker = Record<'pickStreamingBody', (result: unknown, handlerStreams: readonly unknown[]) => unknown>;

/** What is done for one argument of a handler. */
interface ArgumentStep {
  index: number;
  extract: Extract;
  pipes: readonly PipeTransform[];
  metadata: ArgumentMetadata;
}

interface RequestParts {
  url: string;
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
}

/** The three parts of a request, without the closures that the framework makes for each look at them. */
class HttpArguments implements HttpArgumentsHost {
  constructor(private readonly host: ExecutionContextHost) {}

  getRequest<T>(): T {
    return this.host.getArgByIndex<T>(0);
  }

  getResponse<T>(): T {
    return this.host.getArgByIndex<T>(1);
  }

  getNext<T>(): T {
    return this.host.getArgByIndex<T>(2);
  }
}

/**
 * Has the framework run guards and pipes that answer at once without waiting, with one context for all guards of a route. Its own way makes
 * two promises for each guard and three for each argument, which took longer than most handlers. Order, results and errors are the same.
 */
export function shortenRouteChains(): void {
  ExecutionContextHost.prototype.switchToHttp = function switchToHttp(): HttpArgumentsHost {
    return new HttpArguments(this);
  };
  RouterExecutionContext.prototype.createGuardsFn = guardsFunction as Router['createGuardsFn'];
  RouterExecutionContext.prototype.createPipesFn = pipesFunction as Router['createPipesFn'];
  shortenStreamSearch(RouterExecutionContext.prototype as unknown as StreamPicker);
}

/** Without streams of the handler there is none to look for in its result, which would compare sources of constructors. */
function shortenStreamSearch(router: StreamPicker): void {
  const pick = router.pickStreamingBody;
  router.pickStreamingBody = function pickStreamingBody(result, handlerStreams) {
    if (handlerStreams.length === 0 && !isStreamingBody(result)) return undefined;
    return pick.call(this, result, handlerStreams);
  };
}

function guardsFunction(
  guards: readonly CanActivate[],
  instance: object,
  callback: (...args: unknown[]) => unknown,
  type?: string,
): ((args: unknown[]) => void | Promise<void>) | null {
  if (guards.length === 0) return null;
  const controller = instance.constructor as ConstructorParameters<typeof ExecutionContextHost>[1];
  return (args) => {
    const context = new ExecutionContextHost(args, controller, callback);
    context.setType(type ?? 'http');
    return admitFrom(0, guards, context);
  };
}

/** Asks the guards one after the other, and waits only for those that answer later. */
function admitFrom(first: number, guards: readonly CanActivate[], context: ExecutionContextHost): void | Promise<void> {
  for (let at = first; at < guards.length; at++) {
    const answer = guards[at]!.canActivate(context);
    if (typeof answer !== 'boolean') return admitLater(at, answer, guards, context);
    if (!answer) throw new ForbiddenException(FORBIDDEN_MESSAGE);
  }
}

async function admitLater(
  at: number,
  answer: Exclude<ReturnType<CanActivate['canActivate']>, boolean>,
  guards: readonly CanActivate[],
  context: ExecutionContextHost,
): Promise<void> {
  const value: unknown = await answer;
  if (!(isObservable(value) ? await lastValueFrom(value) : value)) throw new ForbiddenException(FORBIDDEN_MESSAGE);
  await admitFrom(at + 1, guards, context);
}

function pipesFunction(this: Router, pipes: readonly PipeTransform[], parameters: readonly RouteParameter[]) {
  if (parameters.length === 0) return null;
  const steps = parameters.map((parameter) => stepOf(parameter, this.isPipeable(parameter.type) ? pipes : null));
  return (args: unknown[], request: unknown, response: unknown, next: () => void): Promise<unknown> | undefined => {
    let pending: Promise<void>[] | undefined;
    for (const step of steps) {
      try {
        const value = passed(step.extract(request, response, next), step, 0);
        if (isThenable(value)) (pending ??= []).push(fill(args, step.index, value));
        else args[step.index] = value;
      } catch (error) {
        // Together with those under way: the first fault counts, and none stays unheard.
        (pending ??= []).push(Promise.reject(error));
      }
    }
    return pending && Promise.all(pending);
  };
}

/** @param pipes those for every route; null for what goes to the handler as it is */
function stepOf(
  parameter: RouteParameter & { metatype?: ArgumentMetadata['metatype'] },
  pipes: readonly PipeTransform[] | null,
) {
  const { index, type, data, metatype, schema } = parameter;
  const token = new ParamsTokenFactory().exchangeEnumForString(type as RouteParamtypes);
  const metadata = { metatype, type: token, data, schema } as ArgumentMetadata;
  return { index, extract: extractOf(parameter), pipes: pipes ? [...pipes, ...parameter.pipes] : [], metadata };
}

/** The usual arguments are read without the framework's table of all kinds. */
function extractOf({ type, data, extractValue }: RouteParameter): Extract {
  if (type === RouteParamtypes.REQUEST) return (request) => request;
  if (type === RouteParamtypes.RESPONSE) return (_request, response) => response;
  if (type === RouteParamtypes.QUERY && data === undefined) return wholeQueryBy(extractValue);
  if (typeof data !== 'string') return extractValue;
  if (type === RouteParamtypes.PARAM) return (request) => (request as RequestParts).params[data];
  const name = data.toLowerCase();
  if (type === RouteParamtypes.HEADERS) return (request) => (request as RequestParts).headers[name];
  return extractValue;
}

/** Most requests have no query: nothing has to be parsed for them. */
function wholeQueryBy(extractValue: Extract): Extract {
  return (request, response, next) => {
    const isThere = (request as RequestParts).url.includes('?');
    return isThere ? (extractValue(request, response, next) as unknown) : NO_VALUES;
  };
}

/** The value behind the pipes from the given one on; a promise as soon as there is one to wait for. */
function passed(value: unknown, step: ArgumentStep, first: number): unknown {
  const { pipes, metadata } = step;
  if (first === pipes.length) return value;
  if (isThenable(value)) return passLater(value, step, first);
  const next: unknown = pipes[first]!.transform(value, metadata);
  return passed(next, step, first + 1);
}

async function passLater(value: PromiseLike<unknown>, step: ArgumentStep, first: number): Promise<unknown> {
  return passed(await value, step, first);
}

async function fill(args: unknown[], index: number, value: PromiseLike<unknown>): Promise<void> {
  args[index] = await value;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}
