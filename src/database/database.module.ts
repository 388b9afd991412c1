import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseConfig } from '../config/database.config.js';
import { Clock } from '../common/clock.js';
import { Logger } from '../common/logger.js';
import { ChangeFeed } from './change-feed.js';
import { Database } from './database.js';
import { DatabaseClock } from './database-clock.js';
import type { EntityList } from './data-source.options.js';
import { MIGRATIONS } from './migrations.js';
import { migrateUp } from './migrator.js';
import { PortDataSource } from './port-data-source.js';
import { PostgresChangeFeed } from './postgres-change-feed.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';

/** A larger difference means a wrong clock, not just a late response. */
const CLOCK_DIFFERENCE_MS = 2_000;

async function openDatabase(config: DatabaseConfig, logger: Logger, clock: Clock): Promise<Database> {
  const applied = await migrateUp(config);
  if (applied.length === MIGRATIONS.length) logger.info({ migrations: applied.length }, 'schema created');
  else if (applied.length > 0) logger.info({ migrations: applied }, 'schema migrated');
  if (config.url === null) return SqliteDatabase.open(config.sqlitePath);
  const onError = (error: Error) => logger.warn({ err: error }, 'connection lost');
  const database = PostgresDatabase.open(config.url, config.poolSize, onError);
  if (clock instanceof DatabaseClock) await followTime(clock, database, logger); // a test may have replaced it
  return database;
}

async function followTime(clock: DatabaseClock, database: Database, logger: Logger): Promise<void> {
  const aheadMs = await clock.follow(database.reader);
  if (Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MS) return;
  const seconds = Math.round(aheadMs / 1000);
  logger.warn(
    { seconds_ahead: seconds },
    'the clock of this machine differs from that of the database, which the server uses',
  );
}

async function openChangeFeed(config: DatabaseConfig, logger: Logger, _migrated: Database): Promise<ChangeFeed> {
  if (config.url === null) return new ChangeFeed();
  const feed = new PostgresChangeFeed(config.url, (error) => logger.warn({ err: error }, 'change feed lost'));
  await feed.open();
  return feed;
}

/** The storage: opened and migrated first at start, closed last. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly feed: ChangeFeed,
    private readonly clock: Clock,
  ) {}

  /** @param entities whose repositories modules can inject with `TypeOrmModule.forFeature` and `@InjectRepository` */
  static forRoot(entities: EntityList): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: Database, useFactory: openDatabase, inject: [DatabaseConfig, Logger, Clock] },
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
    if (this.clock instanceof DatabaseClock) this.clock.stop();
    await this.feed.close();
    await this.database.close();
  }
}
