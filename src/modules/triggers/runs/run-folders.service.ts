import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { makeFolder } from '../../../common/make-folder.js';
import { RunSettings } from '../run-settings.js';

/** A folder per run for files that its program attaches. It survives restarts of this process and is removed with the run. */
@Injectable()
export class RunFolders {
  constructor(
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {}

  /** Ids may hold any characters. */
  pathOf(runId: string): string {
    return path.join(this.root, nameOf(runId));
  }

  /** Only this user can read it. @throws as `node:fs` does */
  create(runId: string): string {
    const folder = this.pathOf(runId);
    makeFolder(folder, 0o700);
    return folder;
  }

  async remove(runId: string): Promise<void> {
    await this.removeAt(this.pathOf(runId));
  }

  /** Removes the folders of all other runs. */
  async keepOnly(runIds: readonly string[]): Promise<void> {
    const kept = new Set(runIds.map(nameOf));
    for (const name of await readdir(this.root).catch(() => [])) {
      if (!kept.has(name)) await this.removeAt(path.join(this.root, name));
    }
  }

  /** A program may leave files that cannot be removed. */
  private async removeAt(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
      this.logger.warn({ err: error, folder }, 'the folder of a run cannot be removed'),
    );
  }

  private get root(): string {
    return path.join(this.settings.stateDir, 'runs');
  }
}

function nameOf(runId: string): string {
  return createHash('sha256').update(runId).digest('hex').slice(0, 32);
}
