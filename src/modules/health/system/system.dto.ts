import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../common/clock.js';
import { VERSION } from '../../../common/version.js';
import { InstanceDto } from '../dto/health-response.dto.js';
import type { FindingLevel } from '../doctor/finding.js';
import type { SystemState } from './system.service.js';

const BYTES = { type: 'integer', minimum: 0, example: 224_395_264 } as const;

export class SystemDatabaseDto {
  @ApiProperty({ enum: ['sqlite', 'postgres'] })
  kind: 'sqlite' | 'postgres';

  @ApiProperty({ description: 'How long it took to answer, in milliseconds.', example: 0.6 })
  latency_ms: number;

  @ApiProperty({ ...BYTES, description: 'Size on disk, in bytes.' })
  size_bytes: number;
}

export class SystemDiskDto {
  @ApiProperty(BYTES)
  free_bytes: number;

  @ApiProperty(BYTES)
  total_bytes: number;
}

export class SystemQueueDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Reports waiting to be written by this server.' })
  jobs: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Memory that they use, in bytes.' })
  bytes: number;

  @ApiProperty({ type: 'integer', description: 'Beyond this many, reports are refused with 503.', example: 2000 })
  max_jobs: number;

  @ApiProperty({ type: 'integer', example: 134_217_728 })
  max_bytes: number;
}

export class SystemFindingDto {
  @ApiProperty({ description: 'The check, a stable name for programs.', example: 'disk' })
  check: string;

  @ApiProperty({
    enum: ['ok', 'warning', 'fault'],
    description: '`fault`: something does not work, or soon will not. `warning`: somebody should look.',
  })
  level: FindingLevel;

  @ApiProperty({ example: '44.2 GB are free for /home/kim/.waystation.' })
  message: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'What to do; null for nothing.', example: null })
  remedy: string | null;
}

export class SystemDto {
  @ApiProperty({ example: '0.1.0' })
  version: string;

  @ApiProperty({ description: 'The version of Node.js.', example: '22.12.0' })
  node: string;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  started_at: string;

  @ApiProperty({ type: 'integer', example: 900 })
  uptime_seconds: number;

  @ApiProperty()
  database: SystemDatabaseDto;

  @ApiProperty({
    type: () => SystemDiskDto,
    nullable: true,
    description: "The disk of SQLite's file; null with PostgreSQL.",
  })
  disk: SystemDiskDto | null;

  @ApiProperty()
  queue: SystemQueueDto;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'A thread is deleted after this many days without a change, unless it waits for a person, has a `write` effect that never ended, or its lease was granted in these days; null for never.',
    example: null,
  })
  retention_days: number | null;

  @ApiProperty({ type: () => [InstanceDto], description: 'The API servers that run on this database.' })
  instances: InstanceDto[];

  @ApiProperty({
    type: () => [SystemFindingDto],
    description: 'Findings of `waystation doctor --quick`, at most 5 seconds old.',
  })
  findings: SystemFindingDto[];

  static from(state: SystemState): SystemDto {
    const { queue, disk } = state;
    return {
      version: VERSION,
      node: process.versions.node,
      started_at: isoTime(state.startedAtMs),
      uptime_seconds: state.uptimeSeconds,
      database: { kind: state.dialect, latency_ms: state.latencyMs, size_bytes: state.sizeBytes },
      disk: disk && { free_bytes: disk.free, total_bytes: disk.total },
      queue: { jobs: queue.jobs, bytes: queue.bytes, max_jobs: queue.maxJobs, max_bytes: queue.maxBytes },
      retention_days: state.retentionDays,
      instances: state.instances.map((instance) => InstanceDto.from(instance)),
      findings: [...state.findings],
    };
  }
}
