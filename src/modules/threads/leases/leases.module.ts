import { Module } from '@nestjs/common';
import { RunLeasesRepository } from './run-leases.repository.js';

/** Which process may drive a run. */
@Module({
  providers: [RunLeasesRepository],
  exports: [RunLeasesRepository],
})
export class LeasesModule {}
