import { getMetadataArgsStorage } from 'typeorm';

/** The names of the tables of these entities, in their order. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM's own type for entity classes
export function tableNamesOf(entities: readonly Function[]): string[] {
  const tables = getMetadataArgsStorage().tables;
  return entities.map((entity) => tables.find(({ target }) => target === entity)?.name ?? entity.name.toLowerCase());
}
