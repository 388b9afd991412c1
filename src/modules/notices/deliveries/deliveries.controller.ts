import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Scopes } from '../../../http/access.decorators.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { DeliveriesQueryDto } from '../dto/notice-request.dto.js';
import { NoticeDeliveryDto, NoticeDeliveryListDto } from '../dto/notice-response.dto.js';
import { NoticeId } from '../notice-id.pipe.js';
import { DeliveriesService } from './deliveries.service.js';

@ApiTags('notices')
@Controller('v1/notices/:id/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @Scopes('reader')
  @ApiOperation({
    operationId: 'Notices_listDeliveries',
    summary: 'List the deliveries of a notice',
    description: 'Newest first; kept for 30 days.',
  })
  @ApiOkResponse({ type: NoticeDeliveryListDto, description: 'One page of deliveries.' })
  @ApiProblems(400, 404)
  async list(@Param('id', NoticeId) id: string, @Query() query: DeliveriesQueryDto): Promise<NoticeDeliveryListDto> {
    return NoticeDeliveryListDto.fromPage(
      await this.deliveries.list(id, query.status ?? null, query.limit, query.cursor ?? null),
      query.count === 'true' ? await this.deliveries.count(id, query.status ?? null) : undefined,
    );
  }

  @Post(':deliveryId/retry')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'Notices_retryDelivery',
    summary: 'Retry a delivery',
    description:
      'For failed and dropped ones: sent again at once, or once the notice is enabled, with the same id and bytes.',
  })
  @ApiOkResponse({ type: NoticeDeliveryDto, description: 'The delivery, waiting.' })
  @ApiProblems(404, 409)
  async retry(
    @Param('id', NoticeId) id: string,
    @Param('deliveryId', NoticeId) deliveryId: string,
  ): Promise<NoticeDeliveryDto> {
    return NoticeDeliveryDto.from(await this.deliveries.retry(id, deliveryId));
  }
}
