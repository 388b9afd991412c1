import { Module } from '@nestjs/common';
import { TypeOrmModule } from '../../database/typeorm.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { Instance } from './instance.entity.js';
import { InstancesRepository } from './instances.repository.js';
import { InstancesService } from './instances.service.js';
import { MetricsController } from './metrics.controller.js';
import { ProcessMetricsService } from './process-metrics.service.js';
import { RootController } from './root.controller.js';
import { SystemController } from './system/system.controller.js';
import { SystemRepository } from './system/system.repository.js';
import { SystemService } from './system/system.service.js';
import { RootService } from './root.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Instance])],
  controllers: [RootController, HealthController, MetricsController, SystemController],
  providers: [
    RootService,
    HealthService,
    InstancesService,
    InstancesRepository,
    ProcessMetricsService,
    SystemService,
    SystemRepository,
  ],
})
export class HealthModule {}
