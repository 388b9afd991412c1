import { Module } from '@nestjs/common';
import { GroupCommit } from './group-commit.js';
import { LeasesRepository } from './leases.repository.js';
import { RollbackSafeClock } from './rollback-safe-clock.js';
import { WakeSignal } from './wake-signal.js';
import { WorkLoops } from './work-loop.js';

const PARTS = [GroupCommit, LeasesRepository, RollbackSafeClock, WakeSignal, WorkLoops];

/** Lanes in tables, leased by one instance at a time. Knows no feature. */
@Module({ providers: PARTS, exports: PARTS })
export class QueueModule {}
