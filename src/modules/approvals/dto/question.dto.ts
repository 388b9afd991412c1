import { ApiProperty } from '@nestjs/swagger';

export const TEXT_OR_TEXTS = { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };

/** A choice of a question. */
export class QuestionOptionDto {
  @ApiProperty({ example: 'Blue' })
  label: string;

  @ApiProperty({ description: 'What the agent gets.', example: 'blue' })
  value: string;

  @ApiProperty({ type: String, nullable: true, example: 'Like the sky' })
  description: string | null;
}

/** A question that a call asks, with its defaults filled in. */
export class QuestionDto {
  @ApiProperty({ description: 'Unique among the questions of the call.', example: 'q0' })
  id: string;

  @ApiProperty({ example: 'Which colour?' })
  text: string;

  @ApiProperty({ type: String, nullable: true, example: 'Colour' })
  header: string | null;

  @ApiProperty({ type: () => [QuestionOptionDto] })
  options: QuestionOptionDto[];

  @ApiProperty({ description: 'Whether the answer may be several texts.', example: false })
  multiple: boolean;

  @ApiProperty({ description: "Whether the answer may be the person's own words.", example: false })
  free_text: boolean;

  @ApiProperty({ example: true })
  required: boolean;

  @ApiProperty({
    anyOf: TEXT_OR_TEXTS.oneOf.map((kind) => ({ ...kind, nullable: true })),
    description: 'The answer where nobody gives one in time.',
    example: 'blue',
  })
  default: string | string[] | null;
}
