import type { ApiResponse } from '../../../http/api-request.js';
import type { GrantedLease } from '../../threads/journal/run-leases.service.js';
import { GrantedLeaseDto } from './dto/lease.dto.js';

/** 201 for a new holder, 200 for a renewal. */
export function sendLease(response: ApiResponse, lease: GrantedLease): GrantedLeaseDto {
  response.statusCode = lease.isNew ? 201 : 200;
  return GrantedLeaseDto.from(lease);
}
