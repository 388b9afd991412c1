import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { Metrics } from '../../common/metrics/metrics.js';
import { Scopes } from '../../http/access.decorators.js';

/** `Registry.contentType` of prom-client: the text format 0.0.4. */
const PROMETHEUS_TEXT = Registry.PROMETHEUS_CONTENT_TYPE;

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Scopes('metrics', 'reader')
  @Header('Content-Type', PROMETHEUS_TEXT)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Metrics for a monitoring system',
    description:
      'Metrics of this instance, in the Prometheus text format 0.0.4; metrics of the whole storage say so. No ids or names.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({
    description: 'All metrics.',
    schema: {
      type: 'string',
      example: '# TYPE waystation_events_saved_total counter\nwaystation_events_saved_total 42\n',
    },
  })
  read(): Promise<string> {
    return this.metrics.render();
  }
}
