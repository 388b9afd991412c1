import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { AGENT_MIGRATIONS } from './agent-migrations.js';
import type { EntityList } from './data-source.options.js';
import { Database } from './database.js';
import { migrateUp } from './migrator.js';
import { PortDataSource } from './port-data-source.js';
import { SqliteDatabase } from './sqlite-database.js';

/** An agent process's state file: opened and migrated first at start, closed last. */
@Global()
@Module({})
export class AgentDatabaseModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  /** @param entities the tables that `PortDataSource` knows */
  static forRoot(sqlitePath: string, entities: EntityList): DynamicModule {
    const open = async (): Promise<Database> => {
      await migrateUp({ url: null, sqlitePath }, AGENT_MIGRATIONS);
      return SqliteDatabase.open(sqlitePath);
    };
    return {
      module: AgentDatabaseModule,
      providers: [
        { provide: Database, useFactory: open },
        {
          provide: PortDataSource,
          useFactory: (database: Database) => PortDataSource.over(database, entities),
          inject: [Database],
        },
      ],
      exports: [Database, PortDataSource],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
