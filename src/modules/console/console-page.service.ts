import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';
import { PageFiles, type Encoding, type PageFile } from './page-files.js';

/** Their names change with their content. */
const ASSETS = 'assets/';
const INDEX = 'index.html';

/** A file of the page, and whether it may be kept for ever. */
export interface FoundFile extends PageFile {
  isImmutable: boolean;
}

/** Knows what belongs to an address of the console. */
@Injectable()
export class ConsolePageService {
  constructor(private readonly files: PageFiles) {}

  /**
   * The file for an address below `/console/`: every address that is no asset is a view of the one page.
   * @param name the address without `/console/`
   * @throws DomainError `not_found` for a missing asset, and where the page was never built
   */
  async find(name: string, accepted: readonly Encoding[]): Promise<FoundFile> {
    const isImmutable = name.startsWith(ASSETS);
    const file = await this.files.find(isImmutable ? name : INDEX, accepted);
    if (file !== null) return { ...file, isImmutable };
    if (isImmutable) throw new DomainError('not_found', 'asset_not_found', 'The console has no such file.');
    const message = 'This installation has no console. In a clone, `npm run build` makes it.';
    throw new DomainError('not_found', 'console_not_built', message);
  }
}
