import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseConfig } from '../config/database.config.js';
import { Logger } from '../common/logger.js';
import { ChangeFeed, LocalChangeFeed } from './change-feed.js';
import { Database } from './database.js';
import { migrateUp } from './migrator.js';
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
@Module({
  providers: [
    { provide: Database, useFactory: openDatabase, inject: [DatabaseConfig, Logger] },
    { provide: ChangeFeed, useFactory: openChangeFeed, inject: [DatabaseConfig, Logger, Database] },
  ],
  exports: [Database, ChangeFeed],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly feed: ChangeFeed,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.feed.close();
    await this.database.close();
  }
}
