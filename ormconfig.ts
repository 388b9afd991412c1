import { DataSource } from 'typeorm';
import { loadConfig } from './src/config/env.js';
import { dataSourceOptions } from './src/database/data-source.options.js';
import { ENTITIES } from './src/entities.js';

/** The data source for TypeORM's own tools. The server opens the same storage by src/database, and migrates it at start. */
export const dataSource = new DataSource(dataSourceOptions(loadConfig().database, ENTITIES));
