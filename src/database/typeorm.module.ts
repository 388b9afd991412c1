import { Inject, Module, type DynamicModule } from '@nestjs/common';
import { DataSource, type ObjectLiteral } from 'typeorm';

type EntityClass = new () => ObjectLiteral;

/**
 * What the program uses of `@nestjs/typeorm`, under the same names. That package looks for TypeORM with `require` while it loads, which
 * next to the bundled one is a second copy: 190 ms of each start, and 15 MB.
 */
@Module({})
export class TypeOrmModule {
  /** The repositories that classes of the module can inject. */
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
