import { ApprovalsConfig } from './approvals.config.js';
import { ChannelsConfig } from './channels.config.js';
import { DatabaseConfig } from './database.config.js';
import { DispatchConfig } from './dispatch.config.js';
import { IngestionConfig } from './ingestion.config.js';
import { LogConfig } from './log.config.js';
import { NoticesConfig } from './notices.config.js';
import { RetentionConfig } from './retention.config.js';
import { RunsConfig } from './runs.config.js';
import { SecurityConfig } from './security.config.js';
import { ServerConfig } from './server.config.js';

/** All settings of the API server, one class per area. */
export class AppConfig {
  server = new ServerConfig();
  database = new DatabaseConfig();
  ingestion = new IngestionConfig();
  approvals = new ApprovalsConfig();
  channels = new ChannelsConfig();
  notices = new NoticesConfig();
  dispatch = new DispatchConfig();
  retention = new RetentionConfig();
  runs = new RunsConfig();
  security = new SecurityConfig();
  log = new LogConfig();
}
