import { getMetadataArgsStorage } from 'typeorm';
import type { EntityList } from './data-source.options.js';

export function tableNamesOf(entities: EntityList): string[] {
  const tables = getMetadataArgsStorage().tables;
  return entities.map((entity) => tables.find(({ target }) => target === entity)?.name ?? entity.name.toLowerCase());
}
