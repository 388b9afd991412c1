import { jest } from '@jest/globals';
import type { QueuedRun } from '../../../common/contract/queued-run.js';
import type { Logger } from '../../../common/logger.js';
import type { ProcessApi } from '../reporter/process-api.service.js';
import type { Reporter } from '../reporter/reporter.service.js';
import type { RunSettings } from '../run-settings.js';
import { HeartbeatService } from './heartbeat.service.js';
import type { OwnAgents } from './own-agents.js';
import { OwnBeats } from './own-beats.js';
import { RunQueue } from './run-queue.js';

const RUN: QueuedRun = { thread_id: 'thread', trace_id: 'run', queued_at: '2026-11-20T09:30:00.250Z' };
const API = 'http://127.0.0.1:1';

describe('Heartbeats of a queue', () => {
  let status: number;
  let sent: number;
  let queue: RunQueue;
  let heartbeats: HeartbeatService;

  beforeEach(() => {
    jest.useFakeTimers();
    [status, sent, queue] = [200, 0, new RunQueue()];
    const send = () => {
      sent += 1;
      return Promise.resolve({ status, text: '{}' });
    };
    const own = { endpointOf: () => API, triggersOf: () => [] } as OwnAgents;
    const settings = { agents: [{ name: 'support' }], api: { current: API } } as unknown as RunSettings;
    const outage = { expectResponse: () => () => undefined, end: () => undefined };
    heartbeats = new HeartbeatService(
      { send } as unknown as ProcessApi,
      new OwnBeats(own, { value: 'token' }, { value: 'process' }, queue, settings),
      queue,
      settings,
      { outage } as unknown as Reporter,
      { warn: () => undefined } as unknown as Logger,
    );
    heartbeats.onApplicationBootstrap();
  });
  afterEach(() => {
    heartbeats.onModuleDestroy();
    jest.useRealTimers();
  });

  const sentWithin = async (ms: number) => {
    const before = sent;
    await jest.advanceTimersByTimeAsync(ms);
    return sent - before;
  };

  it('go out soon after a run begins to wait, and not for one that starts at once', async () => {
    expect(await sentWithin(5_000)).toBe(1);
    queue.add('support', RUN);
    queue.remove(RUN.trace_id);
    expect(await sentWithin(5_000)).toBe(0);
    queue.add('support', RUN);
    expect(await sentWithin(500)).toBe(1);
    queue.remove(RUN.trace_id);
    expect(await sentWithin(1_500)).toBe(1);
    expect(await sentWithin(14_000)).toBe(0);
    expect(await sentWithin(2_000)).toBe(1);
  });

  it('that are refused are repeated no oftener than others', async () => {
    status = 403;
    expect(await sentWithin(14_000)).toBe(1);
    queue.add('support', RUN);
    expect(await sentWithin(20_000)).toBeLessThanOrEqual(11);
    queue.remove(RUN.trace_id);
    await sentWithin(2_000);
    expect(await sentWithin(12_000)).toBe(0);
  });
});
