export interface OutageListeners {
  /** Reports cannot be delivered at the moment. Called once per outage. */
  onTrouble?: (reason: string) => void;
  /** Delivery works again. */
  onRecovered?: () => void;
}

/** A person who has not started a server is told within two seconds. */
const FIRST_RESPONSE_MS = 1_500;

/** Tells once when the API cannot be reached or takes no reports, and once when it does again, whichever part of a program notices. */
export class OutageNotice {
  private readonly troubled = new Set<string>();
  private isKnown = false;

  constructor(private readonly listeners: OutageListeners = {}) {}

  /** @param part of the program that failed; the outage lasts until every part that failed has succeeded */
  begin(part: string, reason: string): void {
    if (this.troubled.size === 0) guarded(this.listeners.onTrouble)(reason);
    this.troubled.add(part);
  }

  /** Call it after every success. */
  end(part: string): void {
    this.isKnown = true;
    if (this.troubled.delete(part) && this.troubled.size === 0) guarded(this.listeners.onRecovered)();
  }

  /** The part no longer tries. */
  leave(part: string): void {
    this.troubled.delete(part);
  }

  /**
   * Call it before a request, and its result after the response. Before the API's first response, 1.5 seconds of silence count as an
   * outage; later it may only be busy.
   */
  expectResponse(part: string, url: string): () => void {
    if (this.isKnown) return () => undefined;
    const timer = setTimeout(() => this.begin(part, `${url} does not answer`), FIRST_RESPONSE_MS);
    timer.unref();
    return () => clearTimeout(timer);
  }
}

/** Why a request got no response, for people. */
export function noResponse(url: string, error: unknown): string {
  const { name, message, cause } = error as { name?: unknown; message?: unknown; cause?: { code?: unknown } };
  const code = cause?.code;
  if (code === 'ECONNREFUSED' || name === 'TimeoutError') return `${url} does not answer`;
  return `${url} does not answer (${String(code ?? message ?? error)})`;
}

/** Prints outages on standard error, for programs without listeners. */
export function outageLines(url: () => string): OutageListeners {
  return {
    onTrouble: (reason) => printError(`${reason}; reports wait`),
    onRecovered: () => printError(`${url()} answers again`),
  };
}

export function printError(words: string): void {
  process.stderr.write(`waystation: ${words}\n`);
}

/** An error in a program's listener must not stop the delivery of its reports. */
export function guarded<Args extends unknown[]>(listener?: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      listener?.(...args);
    } catch (error) {
      printError(`a listener failed: ${error instanceof Error ? error.stack : String(error)}`);
    }
  };
}
