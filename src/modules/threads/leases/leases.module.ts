import { Module } from '@nestjs/common';
import { RunLeasesRepository } from './run-leases.repository.js';

@Module({
  providers: [RunLeasesRepository],
  exports: [RunLeasesRepository],
})
export class LeasesModule {}
