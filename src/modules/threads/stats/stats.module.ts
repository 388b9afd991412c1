import { Module } from '@nestjs/common';
import { StatsRepository } from './stats.repository.js';
import { StatsService } from './stats.service.js';

/** Sums over runs. */
@Module({ providers: [StatsRepository, StatsService], exports: [StatsService] })
export class StatsModule {}
