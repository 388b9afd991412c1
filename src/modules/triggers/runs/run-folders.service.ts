import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { makeFolder } from '../../../common/make-folder.js';
import { RunSettings } from '../run-settings.js';

/** A folder for each run, in which its program puts the files that it attaches. It lasts as long as the run, over restarts of this process. */
@Injectable()
export class RunFolders {
  constructor(
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {}

  /** Ids may hold anything. */
  pathOf(runId: string): string {
    return path.join(this.root, nameOf(runId));
  }

  /** Only this user may look into it. @throws as `node:fs` does */
  create(runId: string): string {
    const folder = this.pathOf(runId);
    makeFolder(folder, 0o700);
    return folder;
  }

  async remove(runId: string): Promise<void> {
    await this.removeAt(this.pathOf(runId));
  }

  /** Removes those of all other runs. */
  async keepOnly(runIds: readonly string[]): Promise<void> {
    const kept = new Set(runIds.map(nameOf));
    for (const name of await readdir(this.root).catch(() => [])) {
      if (!kept.has(name)) await this.removeAt(path.join(this.root, name));
    }
  }

  /** A program may leave there what nobody can remove. */
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
