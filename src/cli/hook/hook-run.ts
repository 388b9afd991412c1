import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { apiAccess } from '../connect.js';
import type { HookRun } from './hook-options.js';
import { watchHealth } from './hook-health.js';
import { postHook, type HookReply } from './hook-request.js';

/** What the hook prints, and why it prints nothing. */
export interface HookResult {
  /** For standard output; null for nothing, and then the terminal asks. */
  output: string | null;
  /** For standard error; null for nothing. */
  errorMessage: string | null;
}

/** Seconds for which the server holds a request. A connection that broke unnoticed is given up after them. */
const POLL_SECONDS = 20;
const RETRY_MS = 100;
const ASKING_PATIENCE_MS = 2_000;
/** Short, because coding agents have many events and must not be slowed down. */
const RECORDING_PATIENCE_MS = 500;
/** The server's limit. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024;
const SILENT: HookResult = { output: null, errorMessage: null };

/**
 * Never exceeds the run's time limit, nor its patience by much if no server answers. Unlike other commands it reads no `.env`: it runs
 * in the repository that the coding agent works on, which must not choose the server that decides and gets the token.
 * @throws ConfigError
 */
export async function runHook(run: HookRun): Promise<HookResult> {
  const deadlineMs = performance.now() + run.timeoutMs;
  const body = await readInput();
  if (body === null) return { output: null, errorMessage: `The hook got more than ${MAX_INPUT_BYTES} bytes.` };
  const event = askingEvent(body);
  if (event === null) return record(run, body);
  // A question left to the terminal can be answered; a denied tool cannot.
  return ask(event === 'PreToolUse' ? { ...run, onTimeout: 'ask' } : run, body, deadlineMs);
}

/** Asks until there is a decision. */
async function ask(run: HookRun, body: Buffer, deadlineMs: number): Promise<HookResult> {
  const patienceMs = run.patienceMs ?? ASKING_PATIENCE_MS;
  const key = randomUUID();
  let [answeredMs, isKnown] = [performance.now(), false];
  for (;;) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) return timedOut(run);
    // The first request does not wait, so that a hanging server is noticed soon.
    const waitSeconds = isKnown ? Math.min(POLL_SECONDS, Math.floor(leftMs / 1000)) : 0;
    const limitMs = Math.max(1, Math.min(waitSeconds * 1000 + patienceMs, leftMs));
    const waited = new AbortController();
    const silence = waitSeconds > 0 ? watchHealth(patienceMs, waited.signal) : waited.signal;
    const reply = await attempt(run, { key, body, leftMs, waitSeconds, limitMs, signal: silence });
    const isSilent = silence.aborted;
    waited.abort();
    if (isAnswer(reply)) {
      if (reply.status !== 202) return resultOf(reply);
      [answeredMs, isKnown] = [performance.now(), true];
      if (waitSeconds === 0 && leftMs < 1000) await pause(Math.max(0, Math.min(RETRY_MS, leftMs)));
      continue;
    }
    if (isKnown && waitSeconds > 0) [answeredMs, isKnown] = [performance.now(), false];
    if (isSilent || performance.now() - answeredMs >= patienceMs) {
      return unreachableError(isSilent ? 'it has fallen silent' : messageOf(reply), 'The terminal asks.');
    }
    await pause(RETRY_MS);
  }
}

/** Tries once, because the coding agent waits for it. */
async function record(run: HookRun, body: Buffer): Promise<HookResult> {
  const limitMs = Math.max(1, Math.min(run.patienceMs ?? RECORDING_PATIENCE_MS, run.timeoutMs));
  const { signal } = new AbortController();
  const reply = await attempt(run, { key: randomUUID(), body, leftMs: limitMs, waitSeconds: 0, limitMs, signal });
  return isAnswer(reply) ? resultOf(reply) : unreachableError(messageOf(reply), 'The event is not recorded.');
}

function isAnswer(reply: HookReply | string): reply is HookReply {
  return typeof reply !== 'string' && reply.status < 500;
}

/** The event, if it asks people something. The server refuses anything that is not an event. */
function askingEvent(body: Buffer): 'PermissionRequest' | 'PreToolUse' | null {
  try {
    const input = JSON.parse(body.toString()) as { hook_event_name?: unknown; tool_name?: unknown } | null;
    if (input?.hook_event_name === 'PermissionRequest') return 'PermissionRequest';
    return input?.hook_event_name === 'PreToolUse' && input.tool_name === 'AskUserQuestion' ? 'PreToolUse' : null;
  } catch {
    return null;
  }
}

interface Attempt {
  key: string;
  body: Buffer;
  /** How much longer anybody waits for the decision; then the server closes the approval. */
  leftMs: number;
  waitSeconds: number;
  limitMs: number;
  signal: AbortSignal;
}

/** Looks the server up each time, as it may have moved. @returns the reason, for people, if no answer came */
async function attempt({ platform, agent, chat }: HookRun, request: Attempt): Promise<HookReply | string> {
  const { apiUrl, token } = apiAccess();
  const query = new URLSearchParams({
    wait: String(request.waitSeconds),
    timeout: Math.max(0.001, request.leftMs / 1000).toFixed(3),
    ...(agent !== null && { agent_id: agent }),
    ...(chat !== null && { channel_id: chat.channel, chat_id: chat.chat }),
  });
  const url = `${apiUrl}/v1/runners/hooks/${platform}?${query.toString()}`;
  try {
    return await postHook({ url, token, ...request });
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error);
  }
}

async function readInput(): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes <= MAX_INPUT_BYTES) chunks.push(chunk as Buffer);
  }
  return bytes > MAX_INPUT_BYTES ? null : Buffer.concat(chunks);
}

function resultOf({ status, text }: HookReply): HookResult {
  if (status === 200 && text.startsWith('{')) return { output: text, errorMessage: null };
  return status === 204 ? SILENT : { output: null, errorMessage: `Waystation refused (${status}): ${detailOf(text)}` };
}

function detailOf(text: string): string {
  try {
    return String((JSON.parse(text) as { detail?: unknown }).detail).slice(0, 500);
  } catch {
    return 'no reason given';
  }
}

function messageOf(reply: HookReply | string): string {
  return typeof reply === 'string' ? reply : `status ${reply.status}`;
}

function unreachableError(words: string, consequence: string): HookResult {
  return { output: null, errorMessage: `Waystation does not answer: ${words}. ${consequence}` };
}

function timedOut({ onTimeout }: HookRun): HookResult {
  if (onTimeout === 'ask') return SILENT;
  const decision = { behavior: 'deny', message: 'Nobody has decided in time.' };
  const output = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
  return { output: JSON.stringify(output), errorMessage: null };
}
