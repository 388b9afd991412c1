import { Module } from '@nestjs/common';
import { StatsRepository } from './stats.repository.js';
import { StatsService } from './stats.service.js';

@Module({ providers: [StatsRepository, StatsService], exports: [StatsService] })
export class StatsModule {}
