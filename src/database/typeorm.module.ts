import { Inject, Module, type DynamicModule } from '@nestjs/common';
import { DataSource, type ObjectLiteral } from 'typeorm';

type EntityClass = new () => ObjectLiteral;

/**
 * The parts of `@nestjs/typeorm` that the program uses, under the same names. That package loads TypeORM with `require`, which would be a
 * second copy besides the bundled one: 190 ms of each start, and 15 MB.
 */
@Module({})
export class TypeOrmModule {
  /** The repositories that the module's classes can inject. */
  static forFeature(entities: readonly EntityClass[]): DynamicModule {
    const providers = entities.map((entity) => ({
      provide: repositoryToken(entity),
      useFactory: (source: DataSource) => source.getRepository(entity),
      inject: [DataSource],
    }));
    return { module: TypeOrmModule, providers, exports: providers };
  }
}

/** Injects the `Repository` of an entity. */
export function InjectRepository(entity: EntityClass): ParameterDecorator {
  return Inject(repositoryToken(entity));
}

function repositoryToken({ name }: EntityClass): string {
  return `${name}Repository`;
}
