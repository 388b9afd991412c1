import { HttpStatus } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ApiResponse } from '../../../http/api-request.js';

export class StoredFileDto {
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  digest: string;

  static answer(response: ApiResponse, digest: string, isNew: boolean): StoredFileDto {
    response.status(isNew ? HttpStatus.CREATED : HttpStatus.OK);
    return { digest };
  }
}
