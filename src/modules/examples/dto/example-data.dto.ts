import { ApiProperty } from '@nestjs/swagger';

export class ExampleDataDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Example threads that exist now.', example: 89 })
  threads: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Example threads in total.', example: 89 })
  available: number;

  static from({ threads, available }: ExampleDataDto): ExampleDataDto {
    return { threads, available };
  }
}

export class LoadedExampleDataDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 89 })
  added: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Ids that had a thread already.', example: 0 })
  existing: number;

  static from({ added, existing }: LoadedExampleDataDto): LoadedExampleDataDto {
    return { added, existing };
  }
}

export class RemovedExampleDataDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 89 })
  removed: number;

  static from({ removed }: RemovedExampleDataDto): RemovedExampleDataDto {
    return { removed };
  }
}
