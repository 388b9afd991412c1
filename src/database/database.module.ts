import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseConfig } from '../config/database.config.js';
import { Logger } from '../common/logger.js';
import { ChangeFeed, LocalChangeFeed } from './change-feed.js';
import { Database } from './database.js';
import type { EntityList } from './data-source.options.js';
import { migrateUp } from './migrator.js';
import { PortDataSource } from './port-data-source.js';
import { PostgresChangeFeed } from './postgres-change-feed.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';

async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<Database> {
  const applied = await migrateUp(config);
  if (applied.length > 0) logger.info({ migrations: applied }, 'schema brought up to date');
  if (config.url === null) return SqliteDatabase.open(config.sqlitePath);
  return PostgresDatabase.open(config.url, config.poolSize, (error) => logger.warn({ err: error }, 'connection lost'));
}

async function openChangeFeed(config: DatabaseConfig, logger: Logger, _migrated: Database): Promise<ChangeFeed> {
  if (config.url === null) return new LocalChangeFeed();
  const feed = new PostgresChangeFeed(config.url, (error) => logger.warn({ err: error }, 'change feed lost'));
  await feed.open();
  return feed;
}

/** The storage, opened and migrated before anything else starts, closed after everything else. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly feed: ChangeFeed,
  ) {}

  /** @param entities what modules get repositories for, with `TypeOrmModule.forFeature` and `@InjectRepository` */
  static forRoot(entities: EntityList): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: Database, useFactory: openDatabase, inject: [DatabaseConfig, Logger] },
        { provide: ChangeFeed, useFactory: openChangeFeed, inject: [DatabaseConfig, Logger, Database] },
        {
          provide: PortDataSource,
          useFactory: (database: Database) => PortDataSource.over(database, entities),
          inject: [Database],
        },
        { provide: DataSource, useExisting: PortDataSource },
      ],
      exports: [Database, ChangeFeed, PortDataSource, DataSource],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed.close();
    await this.database.close();
  }
}
