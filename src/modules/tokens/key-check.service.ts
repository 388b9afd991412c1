import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiSecret } from '../../config/api-secret.js';
import { ConfigError } from '../../config/config-error.js';
import { KeyCheckRepository } from './key-check.repository.js';

/** Changing the text would lock every existing database. */
const CHECKED_TEXT = 'waystation key check 1';

/** Refuses to start an instance that shares a database but not the machine secret. */
@Injectable()
export class KeyCheckService implements OnModuleInit {
  constructor(
    private readonly repository: KeyCheckRepository,
    private readonly secret: ApiSecret,
  ) {}

  /** @throws ConfigError if the database was set up with another secret */
  async onModuleInit(): Promise<void> {
    if (!this.repository.isShared) return;
    const digest = createHmac('sha256', this.secret.value).update(CHECKED_TEXT).digest('hex');
    if ((await this.repository.storeFirst(digest)) === digest) return;
    const rule = `${this.secret.file} is not the secret of this database; all its instances need the same WAYSTATION_SECRET_FILE`;
    throw new ConfigError([{ name: 'machine secret', rule }]);
  }
}
