import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../common/clock.js';
import { VERSION } from '../../../common/version.js';
import type { Readiness } from '../health.service.js';
import type { Instance } from '../instance.entity.js';

export class HealthResponseDto {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';

  @ApiProperty({ example: '0.1.0' })
  version: string;

  static ok(): HealthResponseDto {
    return { status: 'ok', version: VERSION };
  }
}

export class DatabaseHealthDto {
  @ApiProperty({ enum: ['sqlite', 'postgres'] })
  kind: 'sqlite' | 'postgres';

  @ApiProperty({ enum: ['ok'] })
  status: 'ok';

  @ApiProperty({ description: 'How long it took to answer, in milliseconds.', example: 0.6 })
  latency_ms: number;
}

export class InstanceDto {
  @ApiProperty({ example: '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11' })
  id: string;

  @ApiProperty({ example: 'api-1' })
  host: string;

  @ApiProperty({ type: 'integer', example: 4711 })
  pid: number;

  @ApiProperty({ example: '0.1.0' })
  version: string;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  started_at: string;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:45:00.000Z' })
  last_seen: string;

  static from({ id, host, pid, version, started_at, last_seen }: Instance): InstanceDto {
    return { id, host, pid, version, started_at: isoTime(started_at), last_seen: isoTime(last_seen) };
  }
}

export class ReadinessResponseDto extends HealthResponseDto {
  @ApiProperty({ type: 'integer', example: 900 })
  uptime_seconds: number;

  @ApiProperty()
  database: DatabaseHealthDto;

  @ApiProperty({ type: () => [InstanceDto], description: 'The API servers that run on this database.' })
  instances: InstanceDto[];

  static from({ uptimeSeconds, dialect, latencyMs, instances }: Readiness): ReadinessResponseDto {
    return {
      ...HealthResponseDto.ok(),
      uptime_seconds: uptimeSeconds,
      database: { kind: dialect, status: 'ok', latency_ms: latencyMs },
      instances: instances.map((instance) => InstanceDto.from(instance)),
    };
  }
}
