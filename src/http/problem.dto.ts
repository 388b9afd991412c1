import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** One faulty field. */
export class FieldFaultDto {
  @ApiProperty({ description: "The field in the caller's own terms.", example: 'events[0].data.step_index' })
  path: string;

  @ApiProperty({ description: 'What was expected.', example: 'must be an integer' })
  detail: string;
}

/** A failure as RFC 9457 describes it; further members may follow. */
export class ProblemDto {
  @ApiProperty({ description: 'URI of the kind of failure.', example: 'urn:waystation:problem:invalid_request' })
  type: string;

  @ApiProperty({ description: 'The status in words.', example: 'Bad Request' })
  title: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status.', example: 400 })
  status: number;

  @ApiProperty({ description: 'What went wrong, for people.', example: 'limit: must be from 1 to 200' })
  detail: string;

  @ApiProperty({ description: 'Path of the request.', example: '/threads' })
  instance: string;

  @ApiProperty({ description: 'What went wrong, for programs: stable.', example: 'invalid_request' })
  code: string;

  @ApiProperty({ type: () => [FieldFaultDto], required: false, description: 'The faulty fields, where there are any.' })
  errors?: FieldFaultDto[];
}

/** Documents the failures of an operation; those that every operation has are added by themselves. */
export function ApiProblems(...statuses: number[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiExtraModels(ProblemDto),
    ...statuses.map((status) => ApiResponse({ status, ...problemResponse(status) })),
  );
}

export function problemResponse(status: number) {
  const schema = { $ref: getSchemaPath(ProblemDto) };
  return { description: STATUS_CODES[status] ?? 'Problem', content: { 'application/problem+json': { schema } } };
}
