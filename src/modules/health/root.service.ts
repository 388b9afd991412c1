import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';
import { wantsPage } from './wants-page.js';

const WHERE =
  'This is the API of Waystation. People find its console at /console/ and its reference at /docs, programs the same at /docs-json.';

/** Knows for whom the root of the server has something. */
@Injectable()
export class RootService {
  /** @throws DomainError `route_not_found`, with words that help, if the caller does not want a page */
  checkIsForPage(accept: string | undefined): void {
    if (!wantsPage(accept)) throw new DomainError('not_found', 'route_not_found', WHERE);
  }
}
