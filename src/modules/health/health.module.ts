import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { InstancesRepository } from './instances.repository.js';
import { InstancesService } from './instances.service.js';

@Module({
  controllers: [HealthController],
  providers: [HealthService, InstancesService, InstancesRepository],
})
export class HealthModule {}
