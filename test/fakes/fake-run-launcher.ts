import { Global, Module, type DynamicModule } from '@nestjs/common';
import { RunLauncher, type LaunchedRun, type RunRequest } from '../../src/modules/triggers/run-launcher.js';

interface FakeRun {
  request: RunRequest;
  run: LaunchedRun;
  end(): void;
}

/** Takes runs on without programs; they end when the test says so. Like the real one it knows keys again, also after a restart of the rest. */
export class FakeRunLauncher extends RunLauncher {
  readonly runs: FakeRun[] = [];
  /** Thrown by the next launches while it is set. */
  refusal: Error | null = null;
  private readonly ended = new Set<string>();

  override async launch(request: RunRequest): Promise<LaunchedRun> {
    const known = this.runs.find(
      ({ request: { idempotencyKey: key } }) => key !== null && key === request.idempotencyKey,
    );
    if (known) return known.run;
    if (this.refusal) throw this.refusal;
    const runId = `run-${this.runs.length + 1}`;
    let settle!: () => void;
    const ended = new Promise<void>((resolve) => (settle = resolve));
    const run = { runId, threadId: request.threadId ?? `thread-of-${runId}`, ended };
    const end = () => {
      this.ended.add(runId);
      settle();
    };
    this.runs.push({ request, run, end });
    return run;
  }

  override whenEnded(runId: string): Promise<void> {
    return this.runs.find(({ run }) => run.runId === runId)?.run.ended ?? Promise.resolve();
  }

  override activeRuns(agentName: string): number {
    return this.runs.filter(({ request, run }) => request.agentName === agentName && !this.ended.has(run.runId)).length;
  }

  /** Ends the run that was taken on last. */
  endLast(): void {
    this.runs.at(-1)?.end();
  }

  /** The module that brings it to an agent process. */
  get module(): DynamicModule {
    return { module: FakeRunsModule, providers: [{ provide: RunLauncher, useValue: this }], exports: [RunLauncher] };
  }
}

@Global()
@Module({})
class FakeRunsModule {}
