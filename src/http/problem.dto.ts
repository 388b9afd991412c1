import { STATUS_CODES } from 'node:http';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';

export class FieldFaultDto {
  @ApiProperty({ description: 'The field, named as in the request.', example: 'events[0].data.step_index' })
  path: string;

  @ApiProperty({ description: 'What was expected.', example: 'must be an integer' })
  detail: string;
}

/** A failure in the format of RFC 9457. */
export class ProblemDto {
  @ApiProperty({ description: 'URI of the kind of error.', example: 'urn:waystation:problem:invalid_request' })
  type: string;

  @ApiProperty({ description: 'The status in words.', example: 'Bad Request' })
  title: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status.', example: 400 })
  status: number;

  @ApiProperty({ description: 'What went wrong, for people.', example: 'limit: must be from 1 to 200' })
  detail: string;

  @ApiPropertyOptional({
    description: 'Path of the request; absent if the server could not read it.',
    example: '/threads',
  })
  instance?: string;

  @ApiProperty({ description: 'What went wrong, for programs. Stable.', example: 'invalid_request' })
  code: string;

  @ApiProperty({ type: () => [FieldFaultDto], required: false, description: 'The invalid fields, if any.' })
  errors?: FieldFaultDto[];
}

/** Documents an operation's problems; common ones are added automatically. */
export function ApiProblems(...statuses: number[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiExtraModels(ProblemDto),
    ...statuses.map((status) => ApiResponse({ status, ...problemResponse(status) })),
  );
}

/** Documents a problem with additional members, those of `type`. */
export function ApiProblemOf(status: number, type: Type<ProblemDto>): MethodDecorator & ClassDecorator {
  return applyDecorators(ApiExtraModels(type), ApiResponse({ status, ...problemResponse(status, type) }));
}

/** The most common problems, by status. */
const EXAMPLES: Record<number, readonly [code: string, detail: string]> = {
  400: ['invalid_request', 'limit: must be a whole number from 1 to 200'],
  401: ['token_required', 'Send the header "Authorization: Bearer <token>".'],
  403: ['wrong_scope', 'A token of scope runner may not do this; one of scope approver or admin may.'],
  404: ['not_found', 'There is nothing under this id.'],
  409: ['conflict', 'Somebody else has decided already.'],
  410: ['attachment_gone', 'The platform does not have the file any more.'],
  413: ['body_too_large', 'The body is larger than 1048576 bytes, decompressed or not.'],
  415: ['unsupported_content_type', 'Content-Type must be application/json.'],
  431: ['headers_too_large', 'The request headers are too large.'],
  500: ['internal_error', 'Something went wrong inside the server. The log tells more.'],
  503: ['storage_unavailable', 'The database does not answer at the moment; nothing was saved.'],
  507: ['storage_full', 'The storage is full; nothing was saved.'],
};

/** The OpenAPI response object of one status. */
export function problemResponse(status: number, type: Type<ProblemDto> = ProblemDto) {
  const title = STATUS_CODES[status] ?? 'Problem';
  const [code, detail] = EXAMPLES[status] ?? ['error', title];
  const example = { type: `urn:waystation:problem:${code}`, title, status, detail, instance: '/path', code };
  const schema = { $ref: getSchemaPath(type) };
  return { description: title, content: { 'application/problem+json': { schema, example } } };
}
