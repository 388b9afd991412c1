import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';
import { launchContext } from '../../config/env.js';
import { pageFile, PageFiles, type Encoding, type PageFile } from './page-files.js';

/** Files whose names change with their content. */
const ASSETS = 'assets/';
const INDEX = 'index.html';
/** How people start the program here; the page prints commands. */
const COMMAND = 'data-command="waystation"';

/** A file of the page, and whether browsers may cache it for a year. */
export interface FoundFile extends PageFile {
  isImmutable: boolean;
}

/** Finds the file for an address of the console. */
@Injectable()
export class ConsolePageService {
  constructor(private readonly files: PageFiles) {}

  /**
   * The file for an address below `/console/`; every address except assets is a view of the single page.
   * @param name the address without `/console/`
   * @throws DomainError `not_found` for a missing asset, or if the page was never built
   */
  async find(name: string, accepted: readonly Encoding[]): Promise<FoundFile> {
    const isImmutable = name.startsWith(ASSETS);
    const file = isImmutable ? await this.files.find(name, accepted) : await this.findIndex(accepted);
    if (file !== null) return { ...file, isImmutable };
    if (isImmutable) throw new DomainError('not_found', 'asset_not_found', 'The console has no such file.');
    const message = 'This installation has no console. In a clone, `npm run build` makes it.';
    throw new DomainError('not_found', 'console_not_built', message);
  }

  /** Tells the page which command people type here, if it is not `waystation`. */
  private async findIndex(accepted: readonly Encoding[]): Promise<PageFile | null> {
    const { command } = launchContext();
    const file = command === 'waystation' ? null : await this.files.find(INDEX, [null]);
    if (!file?.bytes.includes(COMMAND)) return this.files.find(INDEX, accepted);
    const text = file.bytes.toString().replace(COMMAND, `data-command="${command}"`);
    return pageFile(Buffer.from(text), file.type, null);
  }
}
